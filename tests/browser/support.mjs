// Reports made by the program, opened in a headless Chromium.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const program = process.env.CREDENCE_PROGRAM ?? 'build/release/credence';
export const browser_path = process.env.CREDENCE_CHROMIUM ?? '/usr/bin/chromium';
export const pictures = process.env.CREDENCE_PICTURES ?? 'build/pictures';
mkdirSync(pictures, { recursive: true });

export const folder = mkdtempSync(join(tmpdir(), 'credence-report-'));
export const path_of = (name) => join(folder, name);

export const run = (...words) => {
  const done = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`credence ${words.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

/// Generated data compared over three splits, with every example, an ablation, and the report.
export const make_report = () => {
  if (!existsSync(path_of('report.html'))) {
    const data = ['--logits', 'demo/logits.npy', '--votes', 'demo/votes.csv', '--classes', 'demo/classes.txt'];
    run('demo', '--rows', '1200', '-o', 'demo');
    run('compare', ...data, '-o', 'results', '--seeds', '42..44', '--examples', '--oracle', '--resamples', '200', '--draws', '20');
    run('ablate', ...data, '--seeds', '1,2', '--draws', '5', '-o', 'ablation');
    run('report', 'results', 'ablation', '-o', 'report.html', '--embed-examples', '100000');
  }
  return {
    path: path_of('report.html'),
    results: JSON.parse(readFileSync(path_of('results/results.json'), 'utf8')),
    examples: readFileSync(path_of('results/evaluation.csv'), 'utf8').trim().split('\n').slice(1).map((line) => {
      const [row, id, method, predicted, voted, votes, confidence, agreement, correct] = line.split(',');
      return { row, id, method, predicted, voted, votes: +votes, confidence: +confidence, agreement: +agreement, correct: +correct };
    }),
  };
};

export const write = (name, text) => writeFileSync(path_of(name), text);

// Milliseconds: long enough for a busy machine; only a hang takes longer.
const patience = 180_000;
let shared = null;
export const launch = async () => {
  shared ??= await chromium.launch({
    executablePath: browser_path,
    timeout: patience,
    // Whoever runs the tests may have no home, or one that cannot be written to.
    env: { ...process.env, HOME: folder },
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-quic'],
  });
  return shared;
};
export const finish = async () => {
  if (shared) await shared.close();
  rmSync(folder, { recursive: true, force: true });
};

/// Opens a page and keeps a list of everything that should not happen.
export const open = async (path, options = {}) => {
  const context = await (await launch()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const wrong = [];
  const url = pathToFileURL(path).href;
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(url, { waitUntil: 'load' });
  return { page, wrong, close: () => context.close() };
};

/// Tests of the page at `path()`, each in a window of its own in which nothing goes wrong.
export const page_test = (path) => (name, options, body) => it(name, async () => {
  const { page, wrong, close } = await open(path(), options);
  try {
    await body(page);
    assert.deepEqual(wrong, []);
  } finally {
    await close();
  }
});

export const unfold = (page) => page.evaluate(() => document.querySelectorAll('.fold').forEach((fold) => { fold.open = true; }));

/// Waits until `count` folds are closed. Not waitForFunction: when it has to ask again it evaluates
/// text in the page, which the page's own policy forbids.
export const folds_closed = async (page, count) => {
  const closed = page.locator('.fold:not([open])');
  for (const end = Date.now() + patience; await closed.count() !== count;) {
    assert.ok(Date.now() < end, `${await closed.count()} folds are closed, not ${count}`);
    await page.waitForTimeout(20);
  }
};
