import type { JudgeDesk } from '../../core/environment.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import { oneLine } from '../clean-text.ts';
import { captureEvidence } from '../page/screenshot.ts';
import type { Tab } from '../page/tabs.ts';

/** Questions of one attempt; each is a paid call that a loop in the code could repeat without end. */
const maxQuestions = 30;

/** `imageQa('…')` of the model's code: a question about a new picture of the page, which the harness takes and keeps as evidence. */
export function createImageQuestions({
  tab,
  step,
  evidence,
}: {
  tab: () => Promise<Tab>;
  /** The step that is being executed. */
  step: () => number;
  evidence: EvidenceStore;
}): { attach: (desk: JudgeDesk) => void; ask: (question: string) => Promise<{ text: string } | { error: string }> } {
  let desk: JudgeDesk | undefined;
  let asked = 0;
  const answer = async (question: string): Promise<string> => {
    if (!desk) throw new Error('this attempt has no judge that could be asked');
    if (question.trim() === '') throw new Error('it takes a question');
    asked += 1;
    if (asked > maxQuestions) throw new Error(`${maxQuestions} questions are asked already; read the page with locators`);
    const item = await captureEvidence({ tab: await tab(), step: step(), label: 'question', evidence });
    if (!item) throw new Error('the page gave no picture within 5 s');
    return JSON.stringify(await desk.imageQa({ images: [item.image], question }));
  };
  return {
    attach: given => {
      desk = given;
    },
    ask: question =>
      answer(question).then(
        text => ({ text }),
        error => ({ error: `imageQa(): ${oneLine((error as Error).message, 300)}` }),
      ),
  };
}
