// Written by clients/generate from verbs.json.
import type { Call, Json, Question } from './index.js';

/** What a test says to native. */
export declare class Verbs {
  /** Answers a name so, before files and handlers do. A reply is what it is in a file. */
  reply(name: string, reply: Json): Promise<void>;

  /** Takes back a reply that was set. */
  takeBack(name: string): Promise<void>;

  /** Switches a scenario on, or off. */
  scenario(scenario: string, on?: boolean | null): Promise<void>;

  /** Plays an event on the page that is meant, or named by id or path, and waits until its steps are done. */
  event(name: string, options?: {
    page?: string;
  }): Promise<void>;

  /** Calls a name in place of a page, and gives the record of the call. */
  call(name: string, input?: Json): Promise<Call>;

  /** Gives the calls so far, or those that fit. */
  calls(options?: {
    name?: string;
    state?: 'waiting' | 'answered' | 'error' | 'missing' | 'silent' | 'left' | 'expired';
    by?: 'reply' | 'handler' | 'nobody' | 'gateway';
    kind?: ('call' | 'push' | 'page' | 'request' | 'notice' | 'all')[];
    page?: string;
    since?: number;
    limit?: number;
  }): Promise<Call[]>;

  /** Waits until so many calls of a name have begun, and gives them. */
  wait(name: string, options?: {
    count?: number;
    seconds?: number;
    state?: 'waiting' | 'answered' | 'error' | 'missing' | 'silent' | 'left' | 'expired';
    since?: number;
  }): Promise<Call[]>;

  /** Fails unless a name was called, with this in what it was sent; gives these calls. */
  verify(name: string, when?: Json, options?: {
    equals?: Json;
    count?: number;
    atLeast?: number;
    atMost?: number;
    state?: 'waiting' | 'answered' | 'error' | 'missing' | 'silent' | 'left' | 'expired';
    kind?: string;
    seconds?: number;
  }): Promise<Call[]>;

  /** Fails unless these names were called one after the other, whatever came between. */
  verifyOrder(order: string[], options?: {
    state?: 'waiting' | 'answered' | 'error' | 'missing' | 'silent' | 'left' | 'expired';
    kind?: string;
    seconds?: number;
  }): Promise<Call[]>;

  /** Fails where a call or a question had no answer. */
  verifyAnswered(): Promise<void>;

  /** Gives the questions that wait. Ask once before the page does: for a minute after that they wait for the test. */
  questions(): Promise<Question[]>;

  /** Answers a question by one of its choices: the one of a number, or the oldest of a name, for which it waits. */
  choose(question: number | string, choice: string | number, options?: {
    seconds?: number;
  }): Promise<void>;

  /** Answers a question by values of its fields: the one of a number, or the oldest of a name, for which it waits. */
  fill(question: number | string, fields: Json, options?: {
    seconds?: number;
  }): Promise<void>;

  /** Says over which pages of the session questions are shown: `page` is over every page, `off` over none. */
  setAsk(ask: 'auto' | 'page' | 'off'): Promise<void>;

  /** Calls a handler or a function of the page that is meant, or named by id or path, and gives what it answers. */
  callPage(name: string, data?: Json, options?: {
    page?: string;
    seconds?: number;
  }): Promise<Json>;

  /** Tells an event to the page that is meant, or named by id or path. */
  emit(event: string, data?: Json, options?: {
    page?: string;
  }): Promise<void>;

  /** Draws a link, below the gateway's address, that lets a browser on another machine in for ten minutes. */
  link(): Promise<string>;

  /** Takes back all that the test has changed, and forgets its calls. */
  reset(): Promise<void>;
}
