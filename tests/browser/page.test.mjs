// The page as a whole: its figures, its widths, its prints, its size; nobody is shut out.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { finish, folds_closed, make_report, page_test, path_of, pictures, run } from './support.mjs';

let report;
before(() => { report = make_report(); });
after(finish);

const with_page = page_test(() => report.path);

describe('figures', () => {
  with_page('count examples on one scale', {}, async (page) => {
    const tops = await page.$$eval('.panel', (all) => all.map((panel) => panel.getAttribute('data-most')));
    assert.ok(tops.length > 30);
    assert.equal(new Set(tops).size, 1);
  });

  with_page('draw bins of fewer than 20 examples faintly', {}, async (page) => {
    const bins = await page.$$eval('.method-figure .bin', (all) => all.map((bin) => [Number(bin.getAttribute('data-count')), getComputedStyle(bin).opacity]));
    assert.ok(bins.some(([count]) => count > 0 && count < 20), 'there are such bins');
    for (const [count, opacity] of bins) assert.equal(Number(opacity) < 0.5, count > 0 && count < 20, `${count}`);
  });

  with_page('name their colours as they are', {}, async (page) => {
    // The hue of orange is 10 to 45 degrees, of green 130 to 170.
    const hue = (role) => page.evaluate((name) => {
      const hex = getComputedStyle(document.documentElement).getPropertyValue(`--f-${name}`).trim();
      const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      const most = Math.max(r, g, b), range = most - Math.min(r, g, b);
      return 60 * (most === r ? (g - b) / range : most === g ? 2 + (b - r) / range : 4 + (r - g) / range);
    }, role);
    assert.match(await page.textContent('.first figcaption'), /Hatched orange.*dotted green/);
    const [over, under] = [await hue('over'), await hue('under')];
    assert.ok(over > 10 && over < 45, `${over}`);
    assert.ok(under > 130 && under < 170, `${under}`);
  });
});

describe('the page', () => {
  for (const [name, options] of Object.entries({
    light: { colorScheme: 'light' },
    dark: { colorScheme: 'dark' },
    phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  })) {
    with_page(`has no serious accessibility fault (${name})`, options, async (page) => {
      // The page's policy lets no other script in, so axe is brought by the debugger.
      await page.evaluate(readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'));
      for (const open_all of [false, true]) {
        if (open_all) await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        const bad = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
        assert.deepEqual(bad.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`), []);
      }
    });
    with_page(`is worth looking at (${name})`, options, async (page) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `the document is ${wide} pixels too wide`);
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    });
  }

  for (const [name, width] of [['a phone', 390], ['a small tablet', 700], ['a desk', 1280]]) {
    with_page(`is as wide as ${name}, folded and open`, { viewport: { width, height: 844 } }, async (page) => {
      for (const open_all of [false, true]) {
        if (open_all) await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${wide} pixels too wide`);
        // Nothing is cut: what is wider than its place scrolls there, and only tables may do so.
        const cut = await page.evaluate(() => [...document.querySelectorAll('nav, .frame, .card, pre, .bin-info, .controls')]
          .filter((e) => e.getClientRects().length > 0 && e.scrollWidth > e.clientWidth + 1)
          .map((e) => e.closest('[data-figure]')?.dataset.figure ?? e.className));
        assert.deepEqual(cut.filter((what) => what !== 'heatmap'), []);
      }
    });
  }

  with_page('has letters that a phone shows large enough', { viewport: { width: 390, height: 844 } }, async (page) => {
    for (const figure of ['before-after', 'error-by-entropy']) {
      const least = await page.$$eval(`[data-figure="${figure}"] text`, (all) => Math.min(...all.filter((t) => t.getClientRects().length > 0)
        .map((t) => Number(t.getAttribute('font-size')) * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b))));
      // Nine pixels are the smallest letters that common guides allow in figures.
      assert.ok(least > 9, `${figure}: ${least}`);
    }
  });

  with_page('is folded after the error by entropy', {}, async (page) => {
    const below = await page.$$eval('main section > *', (all) => {
      const entropy = document.querySelector('[data-figure="error-by-entropy"]');
      return all.filter((e) => entropy.compareDocumentPosition(e) === Node.DOCUMENT_POSITION_FOLLOWING).map((e) => [e.className, e.open]);
    });
    assert.ok(below.length > 6);
    for (const [kind, open] of below) assert.deepEqual([kind, open], ['fold', false]);
  });

  with_page('prints light, without controls, figures whole, nothing folded', { colorScheme: 'dark' }, async (page) => {
    const closed = await page.locator('.fold:not([open])').count();
    assert.ok(closed > 6);
    await page.emulateMedia({ media: 'print' });
    await folds_closed(page, 0);
    assert.equal(await page.locator('.controls:visible, nav:visible, .info:visible').count(), 0);
    assert.equal(await page.locator('#methods tbody tr:visible').count(), report.results.splits[0].methods.length);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('figure')).breakInside), 'avoid');
    await page.pdf({ path: join(pictures, 'print.pdf'), format: 'A4', margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' } });
    await page.emulateMedia({ media: 'screen' });
    await folds_closed(page, closed);
  });

  with_page('is a whole document without script', { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator('.needs-script:visible').count(), 0);
    assert.equal(await page.locator('#methods thead th[data-metric]:visible').count(), report.results.metrics.length);
    assert.equal(await page.locator('#methods tbody tr:visible').count(), report.results.splits[0].methods.length);
    await page.locator('#methods th[data-metric="nll"] .info').focus();
    assert.ok(await page.locator('#tip-nll').isVisible());
    for (const summary of await page.locator('.fold > summary').all()) {
      await summary.focus();
      await page.keyboard.press('Enter');
    }
    assert.ok(await page.locator('#bars figure:visible').count() > 3);
    assert.equal(await page.locator('.method-figure figure:visible').count(), 1);
    assert.equal(await page.locator('#explorer .numbers:visible').count(), report.results.splits[0].methods.length);
    await page.screenshot({ path: join(pictures, 'no-script.png') });
  });

  it('is the same when compare writes it', () => {
    const data = ['--logits', 'demo/logits.npy', '--votes', 'demo/votes.csv'];
    const quick = ['--resamples', '50', '--draws', '5', '--methods', 'ts,slts'];
    run('compare', ...data, ...quick, '-o', 'small', '--report', '--examples', '--embed-examples', '50');
    run('report', 'small', '-o', 'again.html', '--embed-examples', '50');
    assert.equal(readFileSync(path_of('small/report.html'), 'utf8'), readFileSync(path_of('again.html'), 'utf8'));
  });

  it('of the demo is below 700 KB', () => {
    run('demo', '-o', 'usual');
    run('compare', '--logits', 'usual/logits.npy', '--votes', 'usual/votes.csv', '--classes', 'usual/classes.txt', '-o', 'usual-results', '--report');
    const bytes = statSync(path_of('usual-results/report.html')).size;
    console.log(`report of the demo: ${bytes} bytes`);
    assert.ok(bytes < 700_000, `${bytes}`);
  });

  it('has a script below 60 KB', () => {
    const script = /<script>([^]*?)<\/script>/.exec(readFileSync(report.path, 'utf8'))[1];
    assert.ok(script.length < 60_000, `${script.length}`);
  });
});
