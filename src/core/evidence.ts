import type { ImagePart } from './messages.ts';

/** One piece of evidence. What the harness captured proves things; what the agent made (`claim`) cannot prove a point alone. */
export interface EvidenceItem {
  /** `e1`, `e2` …, fresh looks `f1`, `f2` …; unique in the attempt; judges cite it. */
  id: string;
  step: number;
  source: 'harness' | 'claim';
  /** What it shows: `step`, `end`, `tab`, `fresh` (the final address, opened anew by the harness), or the name the agent gave its screenshot. */
  label: string;
  url: string;
  title: string;
  /** Visible text of the page at that moment, cut to 4,000 characters. */
  text: string;
  /** What stood in the fields of the page, one a line (`textbox "Email" = "ada@example.org"`); passwords masked. What an agent typed, and no proof that a site took it. */
  fields?: string;
  image: ImagePart;
}

/** An open page at the end of an attempt, for checks decided by code. */
export interface FinalPage {
  url: string;
  title: string;
  /** Visible text, cut to 100,000 characters. */
  text: string;
  /** The page that was in front. */
  current: boolean;
  /** Text of each element that a selector matches, through locator APIs (DESIGN §9.7); empty when the page is gone. */
  texts(selector: string): Promise<string[]>;
}

/** A file that the browser saved during the attempt: evidence of what a site handed out, as a page is of what it showed. */
export interface Download {
  /** `d1`, `d2` …; unique in the attempt; judges cite it. */
  id: string;
  /** As the site suggests it; shown, never a path. */
  name: string;
  url: string;
  /** Absolute path of the harness's own copy. */
  path: string;
  bytes: number;
  sha256: string;
  /** Beginning of its text, at most 8,000 characters; empty when it is none. */
  text: string;
}

/** What the harness saw at the end. */
export interface FinalState {
  pages: FinalPage[];
  downloads: Download[];
  /** What contradicts the harness's own record (a file changed after it was judged, a forged verdict); anything here makes the attempt invalid. */
  tampering?: string[];
}

/** What the coach looks at when the agent says done. */
export interface CompletionMaterial {
  images: EvidenceItem[];
  /** Files that the browser saved in what is judged. */
  downloads?: Download[];
  /** Addresses of the tabs that are open now (live). */
  openTabs?: string[];
  /** Live: the list of actions; workspace: `final_script_log.txt`. */
  log: string;
  /** Number of the final run (workspace). */
  run?: number;
  /** Digest of the script that made it. */
  scriptSha256?: string;
}
