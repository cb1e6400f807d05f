// As much of Playwright's types as types.ts needs.
export interface PlaywrightTestArgs { page: { goto(url: string): Promise<void>; getByText(text: string): { click(): Promise<void> } } }
export interface PlaywrightTestOptions { baseURL: string | undefined }
export interface PlaywrightWorkerArgs { browser: {} }
export interface PlaywrightWorkerOptions { headless: boolean }
export interface TestType<TestArgs, WorkerArgs> {
  (title: string, body: (args: TestArgs & WorkerArgs) => Promise<void>): void;
  use(values: Partial<TestArgs & WorkerArgs>): void;
}
export declare function expect(value: unknown): { toBe(value: unknown): void };
