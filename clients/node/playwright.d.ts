import type {
  PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType,
} from '@playwright/test';
import type { Gateway, Native } from './index.js';

export { expect } from '@playwright/test';

export interface DrawbridgeOptions {
  /** The arguments of the command: `use: { drawbridge: ['my-page'] }` in the configuration. */
  drawbridge: string | readonly string[];
}

/** Playwright's test, with `native`: a session for each test, in which its pages are too. */
export declare const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { native: Native },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & DrawbridgeOptions & { gateway: Gateway }
>;
