// What users supply is text, whatever it looks like; and large results stay small pages.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { finish, make_report, open, path_of, pictures, run, write } from './support.mjs';

before(make_report);
after(finish);

const names = ['<script>alert(1)</script>', '"&\'', '</script><img src=x onerror=alert(2)>', '\u202Eright to left', '=1+1', '-->', '🦊 fox', 'x'.repeat(200), "'; drop", '<svg onload=alert(3)>'];

describe('hostile names', () => {
  it('of classes, ids and methods are shown as text', async () => {
    const results = JSON.parse(readFileSync(path_of('results/results.json'), 'utf8'));
    const { classes } = results.data.evaluation;
    results.protocol.class_names = names.slice(0, classes);
    results.warnings.push(names[0], names[2]);
    results.command.push(names[1], '--x=$(reboot)');
    results.protocol.notes.push(names[2]);
    // A method of two stages may have any name that its parts have; take the worst.
    const text = JSON.stringify(results).replaceAll('"hist-bin"', JSON.stringify(names[2]));
    run('demo', '--rows', '50', '-o', 'bad');
    write('bad/results.json', text);
    const csv = readFileSync(path_of('results/evaluation.csv'), 'utf8').split('\n');
    const quoted = (cell) => `"${cell.replaceAll('"', '""')}"`;
    write('bad/evaluation.csv', csv.map((line, i) => {
      if (i === 0 || line === '') return line;
      const cells = line.split(',');
      cells[1] = quoted(names[Number(cells[0]) % names.length]);
      if (cells[2] === 'hist-bin') cells[2] = quoted(names[2]);
      return cells.join(',');
    }).join('\n'));
    run('report', 'bad', '-o', 'bad.html', '--embed-examples', '1000', '--figures', 'bad-figures');
    const { page, wrong, close } = await open(path_of('bad.html'));
    assert.equal(await page.$$eval('script', (all) => all.length), 3, 'bins, examples, and the script of the page');
    assert.equal(await page.$$eval('img, [onload], [onerror]', (all) => all.length), 0);
    const body = await page.textContent('#answer');
    assert.ok(body.includes(names[0]) && body.includes(names[2]));
    assert.ok((await page.textContent('#protocol pre code')).endsWith(`'"&'\\''' '--x=$(reboot)'`));
    assert.equal(await page.locator(`#methods tr[data-method]`).evaluateAll((rows, name) => rows.filter((r) => r.dataset.method === name).length, names[2]), 1);
    await page.evaluate(() => document.querySelectorAll('.fold').forEach((fold) => { fold.open = true; }));
    await page.selectOption('#explore-method', names[2]);
    await page.locator('.method-figure:visible .panel[data-truth="annotators"] .bin').first().focus();
    await page.keyboard.press('End');
    await page.click('summary:text-is("Copy")');
    for (const format of ['Markdown', 'LaTeX', 'CSV']) await page.click(`[data-copy="${format}"]`);
    await page.screenshot({ path: join(pictures, 'hostile.png'), fullPage: true });
    assert.deepEqual(wrong, []);
    await close();
    // Every figure as a file is an XML document of its own.
    const svg = await open(path_of('bad-figures/vote-distribution.svg'));
    assert.equal(await svg.page.evaluate(() => document.documentElement.tagName), 'svg');
    assert.ok((await svg.page.evaluate(() => document.documentElement.textContent)).includes('alert(1)'));
    assert.deepEqual(svg.wrong, []);
    await svg.close();
  });
});

describe('large results', () => {
  it('of 1,000 classes, 18 methods and 1,000,000 examples are below 5 MB and open within 2 s', async () => {
    const results = JSON.parse(readFileSync(path_of('results/results.json'), 'utf8'));
    const classes = 1000;
    const evaluation = results.data.evaluation;
    for (const part of [results.data.calibration, evaluation]) { part.rows = 1_000_000; part.classes = classes; }
    evaluation.class_shares = { annotators: Array(classes).fill(1 / classes), voted: Array(classes).fill(1 / classes) };
    evaluation.votes_histogram = Array.from({ length: 50 }, (_, m) => [m + 1, 20_000]);
    evaluation.entropy_histogram = Array(20).fill(50_000);
    delete evaluation.confusion;
    results.protocol.class_names = Array.from({ length: classes }, (_, k) => `class ${k} ${'with a long name '.repeat(3)}`);
    for (const split of results.splits) {
      assert.equal(split.methods.length, 18);
      for (const method of split.methods) {
        for (const bin of method.reliability) bin.count *= 1667;
        if (method.error_density) method.error_density.counts = method.error_density.counts.map((c, i) => c * 1667 + (i % 7));
      }
    }
    run('demo', '--rows', '50', '-o', 'large');
    write('large/results.json', JSON.stringify(results));
    // 20,000 examples of which 2,000 are embedded.
    const lines = ['row,id,method,predicted,voted,votes,confidence,agreement,correct,nll,brier,entropy'];
    for (const { name } of results.splits[0].methods) {
      for (let i = 0; i < 20_000; ++i) {
        const c = ((i * 7919) % 99_991) / 99_991;
        lines.push(`${i},example-${i},${name},a,b,12,${c},${Math.round(c * 12) / 12},${i % 2},0.5,0.5,0.3`);
      }
    }
    write('large/evaluation.csv', lines.join('\n'));
    const said = run('report', 'large', '-o', 'large.html', '--embed-examples', '2000');
    assert.match(said, /2,000 of 20,000 examples embedded/);
    const bytes = statSync(path_of('large.html')).size;
    const opened = await open(path_of('large.html'));
    const times = [];
    const session = await opened.page.context().newCDPSession(opened.page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    for (let i = 0; i < 3; ++i) {
      const start = performance.now();
      await opened.page.reload({ waitUntil: 'load' });
      await opened.page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
      times.push(performance.now() - start);
    }
    const { metrics } = await session.send('Performance.getMetrics');
    const worked = 1000 * metrics.find((m) => m.name === 'TaskDuration').value;
    console.log(`large report: ${(bytes / 1e6).toFixed(2)} MB, opens in ${times.map((t) => t.toFixed(0)).join(', ')} ms, ` +
      `of which the page works ${worked.toFixed(0)} ms`);
    await opened.page.screenshot({ path: join(pictures, 'large.png'), fullPage: true });
    assert.deepEqual(opened.wrong, []);
    await opened.close();
    assert.ok(bytes < 5e6, `${bytes} bytes`);
    assert.ok(worked < 2000, `${worked} ms of work`);
    // Where others use the machine as well, the clock measures them.
    const busy = loadavg()[0] > availableParallelism();
    if (!busy) assert.ok(Math.min(...times) < 2000, `${times} ms`);
  });
});
