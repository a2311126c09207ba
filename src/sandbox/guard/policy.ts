import type { AllowGroup } from '../../core/allow.ts';

/** Whose code is at the other end: the runner child of a live attempt, or a script of a workspace. */
export type GuardKind = 'live' | 'script';

/** What happens to a call. */
export type Rule =
  | { is: 'allowed' }
  | { is: 'refused'; instead: string }
  /** Refused unless the author opened the group. */
  | { is: 'group'; group: AllowGroup; instead: string }
  /** For contexts that the caller has made itself. */
  | { is: 'own'; instead: string }
  /** For pages other than those that the test keeps. */
  | { is: 'not-kept'; instead: string }
  /** For scripts, whose process keeps files and answers dialogs itself. */
  | { is: 'script'; instead: string };

/** Types of which nothing may be called, and what to use instead. */
const refusedTypes: Record<string, string> = {
  APIRequestContext: 'requests are made by the page. Use page.goto(), or page.evaluate() with fetch().',
  Android: 'there is no Android device.',
  AndroidDevice: 'there is no Android device.',
  AndroidSocket: 'there is no Android device.',
  BrowserType: 'a browser is open already. Use page, or browser.newContext() for a separate session.',
  CDPSession: 'use page, context and locators.',
  DebugController: 'nobody is there to debug.',
  Debugger: 'nobody is there to debug.',
  Electron: 'there is no Electron application.',
  ElectronApplication: 'there is no Electron application.',
  JsonPipe: 'use page, context and locators.',
  LocalUtils: 'files of the harness are not for this code.',
  Playwright: 'a browser is open already. Requests are made by the page.',
  SocksSupport: 'the network belongs to the harness.',
  Tracing: 'the test records its own trace.',
  WritableStream: 'give files as buffers: setInputFiles({ name, mimeType, buffer }).',
};

const allowed = {
  Root: 'initialize',
  Browser: 'newContext',
  BrowserContext:
    'newPage grantPermissions clearPermissions setGeolocation setHTTPCredentials setExtraHTTPHeaders setTestIdAttributeName updateSubscription',
  Page: `consoleMessages emulateMedia goBack goForward requestGC registerLocatorHandler resolveLocatorHandlerNoReply
    unregisterLocatorHandler reload expectScreenshot screenshot setExtraHTTPHeaders setViewportSize keyboardDown keyboardUp
    keyboardInsertText keyboardType keyboardPress mouseMove mouseDown mouseUp mouseClick mouseWheel touchscreenTap pageErrors pdf
    requests bringToFront updateSubscription webStorageItems webStorageGetItem webStorageSetItem webStorageRemoveItem webStorageClear`,
  Frame: `evalOnSelector evalOnSelectorAll addScriptTag addStyleTag ariaSnapshot ariaSnapshotJSON blur check click content dragAndDrop
    drop dblclick dispatchEvent evaluateExpression evaluateExpressionHandle fill focus frameElement resolveSelector getAttribute goto
    hover innerHTML innerText inputValue isChecked isDisabled isEnabled isHidden isVisible isEditable press querySelector
    querySelectorAll queryCount selectOption setInputFiles tap textContent title type uncheck waitForTimeout waitForFunction
    waitForSelector expect webmcpTools webmcpCallTool`,
  JSHandle: 'dispose evaluateExpression evaluateExpressionHandle getPropertyList getProperty jsonValue',
  ElementHandle: `dispose evaluateExpression evaluateExpressionHandle getPropertyList getProperty jsonValue evalOnSelector
    evalOnSelectorAll boundingBox check click contentFrame dblclick dispatchEvent fill focus getAttribute hover innerHTML innerText
    inputValue isChecked isDisabled isEditable isEnabled isHidden isVisible ownerFrame press querySelector querySelectorAll screenshot
    scrollIntoViewIfNeeded selectOption selectText setInputFiles tap textContent type uncheck waitForElementState waitForSelector`,
  Worker: 'evaluateExpression evaluateExpressionHandle updateSubscription',
  Request: 'response',
  Response: 'body securityDetails serverAddr httpVersion sizes',
  Disposable: 'dispose',
  Artifact: 'failure cancel',
};

const recordIsTheTests = 'what the browser has recorded belongs to the test.';
const overlayIsTheTests = 'the picture of the page belongs to the test.';
const keptDownload = "downloads are kept by the harness. Read one with await download.text('name').";
const refused: Record<string, string> = {
  'Browser.startServer Browser.stopServer': 'the browser is shared by the test already.',
  'Browser.close Browser.killForTests': 'the browser belongs to the test and stays open.',
  'Browser.newContextForReuse Browser.disconnectFromReusedContext Browser.defaultUserAgentForTest': 'use browser.newContext().',
  'Browser.newBrowserCDPSession BrowserContext.newCDPSession': 'use page, context and locators.',
  'Browser.startTracing Browser.stopTracing': 'the test records its own trace.',
  'BrowserContext.pause BrowserContext.showRecorder BrowserContext.startRecording BrowserContext.stopRecording':
    'nobody is there to resume.',
  'BrowserContext.exposeConsoleApi Page.pickLocator Page.cancelPickLocator Page.setDockTile': 'nobody is there to look.',
  // Selector engines run where the harness reads what is judged.
  'BrowserContext.registerSelectorEngine': 'use the built-in selectors.',
  'BrowserContext.createTempFiles': refusedTypes['WritableStream'] as string,
  'BrowserContext.credentialsInstall BrowserContext.credentialsCreate BrowserContext.credentialsGet BrowserContext.credentialsDelete':
    'credentials belong to the test.',
  'Page.clearConsoleMessages Page.clearPageErrors': recordIsTheTests,
  'Page.startJSCoverage Page.stopJSCoverage Page.startCSSCoverage Page.stopCSSCoverage': recordIsTheTests,
  'Page.screencastShowOverlay Page.screencastRemoveOverlay Page.screencastChapter Page.screencastSetOverlayVisible': overlayIsTheTests,
  'Page.screencastShowActions Page.screencastHideActions Page.screencastStart Page.screencastFrameAck Page.screencastStop':
    overlayIsTheTests,
  'Page.hideHighlight Frame.highlight Frame.hideHighlight': overlayIsTheTests,
  'Artifact.pathAfterFinished Artifact.saveAs Artifact.delete': keptDownload,
  'Worker.disconnect': 'workers belong to their page.',
};

const groups: Record<AllowGroup, [calls: string, instead: string]> = {
  route: [
    `BrowserContext.setNetworkInterceptionPatterns BrowserContext.setWebSocketInterceptionPatterns Page.setNetworkInterceptionPatterns
    Page.setWebSocketInterceptionPatterns Route.redirectNavigationRequest Route.abort Route.continue Route.fulfill
    WebSocketRoute.connect WebSocketRoute.ensureOpened WebSocketRoute.sendToPage WebSocketRoute.sendToServer WebSocketRoute.closePage
    WebSocketRoute.closeServer`,
    'what a site answers is not changed. Read responses with page.waitForResponse().',
  ],
  init_script: [
    'BrowserContext.addInitScript Page.addInitScript',
    'pages are shown as the site made them. Use page.evaluate() once a page is open.',
  ],
  bindings: [
    'BrowserContext.exposeBinding Page.exposeBinding BindingCall.reject BindingCall.resolve',
    'pages cannot call this code. Use page.evaluate() or page.waitForFunction().',
  ],
  content: ['Frame.setContent', 'pages come from their site. Use page.goto().'],
  clock: [
    `BrowserContext.clockFastForward BrowserContext.clockInstall BrowserContext.clockPauseAt BrowserContext.clockResume
    BrowserContext.clockRunFor BrowserContext.clockSetFixedTime BrowserContext.clockSetSystemTime`,
    'the clock belongs to the test.',
  ],
  cookies: [
    `BrowserContext.addCookies BrowserContext.clearCookies BrowserContext.cookies BrowserContext.storageState
    BrowserContext.setStorageState Request.rawRequestHeaders Response.rawResponseHeaders`,
    'cookies and headers that carry them belong to the test. request.headers() and response.headers() give the others.',
  ],
  offline: ['BrowserContext.setOffline', 'the network stays on.'],
};

const words = (text: string) => text.split(/\s+/).filter(Boolean);

const rules = new Map<string, Rule>([
  ...Object.entries(allowed).flatMap(([type, methods]) =>
    words(methods).map((method): [string, Rule] => [`${type}.${method}`, { is: 'allowed' }]),
  ),
  ...Object.entries(refused).flatMap(([calls, instead]) => words(calls).map((call): [string, Rule] => [call, { is: 'refused', instead }])),
  ...Object.entries(groups).flatMap(([group, [calls, instead]]) =>
    words(calls).map((call): [string, Rule] => [call, { is: 'group', group: group as AllowGroup, instead }]),
  ),
  [
    'BrowserContext.close',
    { is: 'own', instead: 'the session belongs to the test. Tabs that you opened can be closed with page.close().' },
  ],
  // A context is closed together with it.
  ['APIRequestContext.dispose', { is: 'own', instead: refusedTypes['APIRequestContext'] as string }],
  ...['Page.close', 'Page.runBeforeUnload'].map((call): [string, Rule] => [
    call,
    {
      is: 'not-kept',
      instead: 'the first tab belongs to the test. Go elsewhere with page.goto(), or choose another tab: page = context.pages()[1].',
    },
  ]),
  ...['Dialog.accept', 'Dialog.dismiss'].map((call): [string, Rule] => [
    call,
    { is: 'script', instead: "the harness answers dialogs. Listen first: page.once('dialog', d => d.accept())." },
  ]),
  ...['Artifact.stream', 'Artifact.saveAsStream', 'Stream.read', 'Stream.close'].map((call): [string, Rule] => [
    call,
    { is: 'script', instead: keptDownload },
  ]),
]);

/** What happens to a call; undefined for one that is not known, which is refused. */
export function ruleFor({ type, method }: { type: string; method: string }): Rule | undefined {
  const rule = rules.get(`${type}.${method}`);
  if (rule) return rule;
  const instead = Object.hasOwn(refusedTypes, type) ? refusedTypes[type] : undefined;
  return instead === undefined ? undefined : { is: 'refused', instead };
}

/** The calls of a Playwright version that no rule names: `Type.method`. */
export function unknownCalls(protocol: readonly string[]): string[] {
  return protocol.filter(name => {
    const [type = '', method = ''] = name.split('.');
    return ruleFor({ type, method }) === undefined;
  });
}
