// Written by clients/generate from verbs.json.

/** What a test says to native. */
export class Verbs {
  /** Answers a name so, before files and handlers do. A reply is what it is in a file. */
  reply(name, reply) {
    return this.ask('PUT', 'replies', { query: { name }, body: reply });
  }

  /** Takes back a reply that was set. */
  takeBack(name) {
    return this.ask('DELETE', 'replies', { query: { name } });
  }

  /** Switches a scenario on, or off. */
  scenario(scenario, on = true) {
    return this.ask('PUT', 'scenario', { body: { scenario, on } });
  }

  /** Plays an event on the page that is meant, or named by id or path, and waits until its steps are done. */
  event(name, { page } = {}) {
    return this.ask('POST', `events/${encodeURIComponent(name)}`, { query: { page } });
  }

  /** Calls a name in place of a page, and gives the record of the call. */
  call(name, input) {
    return this.ask('POST', 'calls', { body: { name, input } });
  }

  /** Gives the calls so far, or those that fit. */
  calls({ name, state, by, kind, page, since, limit } = {}) {
    return this.ask('GET', 'calls', { query: { name, state, by, kind, page, since, limit }, gives: 'calls' });
  }

  /** Waits until so many calls of a name have begun, and gives them. */
  wait(name, { count = 1, seconds = 5, state, since } = {}) {
    return this.ask('GET', 'calls', { query: { name, count, seconds, state, since }, gives: 'calls' });
  }

  /** Fails unless a name was called, with this in what it was sent; gives these calls. */
  verify(name, when, { equals, count, atLeast, atMost, state, kind, seconds = 5 } = {}) {
    return this.ask(
        'POST',
        'calls/verify',
        { body: { name, when, equals, count, atLeast, atMost, state, kind, seconds }, gives: 'calls' },
    );
  }

  /** Fails unless these names were called one after the other, whatever came between. */
  verifyOrder(order, { state, kind, seconds = 5 } = {}) {
    return this.ask('POST', 'calls/verify', { body: { order, state, kind, seconds }, gives: 'calls' });
  }

  /** Fails where a call or a question had no answer. */
  verifyAnswered() {
    return this.ask('POST', 'calls/verify', { body: { unanswered: 0 } });
  }

  /** Gives the questions that wait. Ask once before the page does: for a minute after that they wait for the test. */
  questions() {
    return this.ask('GET', 'questions');
  }

  /** Answers a question by one of its choices: the one of a number, or the oldest of a name, for which it waits. */
  choose(question, choice, { seconds } = {}) {
    return this.ask(
        'POST',
        `questions/${encodeURIComponent(question)}`,
        { query: { seconds }, body: { choice } },
    );
  }

  /** Answers a question by values of its fields: the one of a number, or the oldest of a name, for which it waits. */
  fill(question, fields, { seconds } = {}) {
    return this.ask(
        'POST',
        `questions/${encodeURIComponent(question)}`,
        { query: { seconds }, body: { fields } },
    );
  }

  /** Says over which pages of the session questions are shown: `page` is over every page, `off` over none. */
  setAsk(ask) {
    return this.ask('PUT', 'questions', { body: { ask } });
  }

  /** Calls a handler or a function of the page that is meant, or named by id or path, and gives what it answers. */
  callPage(name, data, { page = 'latest', seconds } = {}) {
    return this.ask('POST', `pages/${encodeURIComponent(page)}/call`, { body: { name, data, seconds } });
  }

  /** Tells an event to the page that is meant, or named by id or path. */
  emit(event, data, { page = 'latest' } = {}) {
    return this.ask('POST', `pages/${encodeURIComponent(page)}/emit`, { body: { event, data } });
  }

  /** Draws a link, below the gateway's address, that lets a browser on another machine in for ten minutes. */
  link() {
    return this.ask('POST', 'admissions', { gives: 'link' });
  }

  /** Takes back all that the test has changed, and forgets its calls. */
  reset() {
    return this.ask('POST', 'reset');
  }
}
