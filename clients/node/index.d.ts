import { Verbs } from './verbs.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** The record of a call, or of what else `kind` asks for. */
export interface Call {
  number: number;
  kind: string;
  session: string;
  at: string;
  name: string;
  page: { id: string; path: string; title: string } | null;
  input?: Json;
  /** Who answered: `reply`, `handler`, `nobody` or `gateway`. */
  by?: string;
  reply?: string;
  handler?: string;
  /** Why cases and handlers before the one that answered did not. */
  why?: string[];
  state: string;
  code?: number;
  output?: Json;
  milliseconds?: number;
}

/** A question that waits for an answer; it has choices or fields. */
export interface Question {
  number: number;
  name: string;
  title: string;
  message: string;
  /** The number of the call that asks. */
  call: number | null;
  choices?: string[];
  fields?: string[];
  /** What a person reads next to each field. */
  labels?: string[];
}

/** What a test says to native, in a session of its own. */
export declare class Native extends Verbs {
  private constructor();
  readonly session: string;
  /** The address of the gateway. */
  readonly address: string;
  /** What a request sends to be in the session. */
  readonly headers: Record<string, string>;
  /** The address by which a browser comes into the session, and goes on to a path. */
  page(to?: string): string;
  /**
   * The cookies with which a browser on another machine than the gateway's may load pages; none where this test is on that
   * machine. With Playwright: `context.addCookies(await native.admit())`.
   */
  admit(): Promise<{
    name: string; value: string; url: string; httpOnly: boolean; secure: boolean; sameSite: 'Lax';
  }[]>;
  /**
   * What has happened in the session, as a failing test shows it: a text each, the newest last.
   *
   * They are the last 30 calls, errors of pages, and what pages looked for in vain. One that nobody answers has a `!`
   * before it. Secrets are left out.
   */
  told(): Promise<string[]>;
  /** Asks the tester's API something that no verb asks. */
  ask(
    method: string, path: string,
    request?: { query?: Record<string, string | number>; body?: Json; gives?: string; seconds?: number },
  ): Promise<any>;
}

/** A gateway, in which each test has a session of its own. */
export declare class Gateway {
  private constructor();
  readonly address: string;
  /** The last lines of its log, as JSON; none where it was not started here. */
  readonly log: readonly string[];
  /** What it has warned of since this was asked last, a text each; nothing where it was not started here. */
  warned(): string[];
  /**
   * A session for a test: what it sets and counts concerns no other test.
   *
   * A test of `node:test`, given in place of its title, shows the calls where it fails.
   */
  session(test?: string | { readonly name: string; after?: unknown }): Native;
  /** Stops it, if it was started here, and waits until it has ended; fails where that is not in good order. */
  stop(): Promise<void>;
}

/** The program in this package. */
export declare const program: string;

/**
 * Starts a gateway on a free port of this machine, which ends with this process.
 *
 * The arguments are those of the command: `start(['my-page', '--scenario', 'offline'])`.
 */
export declare function start(args?: string | readonly string[], options?: {
  /** Another program than the one in this package, such as one with handlers of your own. */
  program?: string;
  /** The folder in which it is started. */
  cwd?: string;
}): Promise<Gateway>;

/** A gateway that runs already: `DRAWBRIDGE_URL` and `DRAWBRIDGE_TOKEN` say where, and the token that it was started with. */
export declare function connect(address?: string, token?: string): Gateway;
