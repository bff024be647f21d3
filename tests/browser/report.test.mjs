// The report in a browser: its numbers are those of results.json, its controls do what they say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { finish, make_report, open, pictures, run, path_of } from './support.mjs';

let report;
before(() => { report = make_report(); });
after(finish);

const percent_metric = (name) => name !== 'ece2_debiased' && (/ece|accuracy/.test(name) || name.startsWith('pointwise'));
const shown = (name, value) => {
  if (value === null) return name === 'nll' || name === 'kl' ? 'infinite' : '-';
  return percent_metric(name) ? (100 * value).toFixed(2) : value.toFixed(4);
};
/// Printed decimals may differ by one in the last place where C++ and JavaScript round a tie.
const close_text = (a, b) => a === b || Math.abs(Number(a) - Number(b)) <= 1.01 * 10 ** -(a.split('.')[1] ?? '').length;

const with_page = (name, options, body) => it(name, async () => {
  const { page, wrong, close } = await open(report.path, options);
  try {
    await body(page);
    assert.deepEqual(wrong, []);
  } finally {
    await close();
  }
});

describe('numbers', () => {
  with_page('of the table are those of results.json', {}, async (page) => {
    const cells = await page.$$eval('#methods tbody td[data-metric]', (all) => all.map((cell) => ({
      method: cell.closest('tr').dataset.method,
      metric: cell.dataset.metric,
      value: cell.dataset.value,
      text: cell.textContent.trim().split(' ')[0],
    })));
    const { methods } = report.results.splits[0];
    assert.equal(cells.length, methods.length * report.results.metrics.length);
    for (const cell of cells) {
      const { value } = methods.find((m) => m.name === cell.method).metrics[cell.metric];
      assert.equal(cell.value === 'none' ? null : Number(cell.value), value, `${cell.method} ${cell.metric}`);
      assert.ok(close_text(cell.text, shown(cell.metric, value)), `${cell.method} ${cell.metric}: ${cell.text}`);
    }
  });

  with_page('of every reliability diagram are those of results.json', {}, async (page) => {
    const panels = await page.$$eval('.method-figure .panel, #grids .panel', (all) => all.map((panel) => ({
      method: panel.getAttribute('data-method'),
      truth: panel.getAttribute('data-truth'),
      bins: [...panel.querySelectorAll('.bin')].map((bin) => ['data-count', 'data-confidence', 'data-agreement']
        .map((key) => (bin.getAttribute(key) === null ? null : Number(bin.getAttribute(key))))),
    })));
    const { methods } = report.results.splits[0];
    assert.equal(panels.length, methods.length * 4);
    for (const panel of panels) {
      const wanted = methods.find((m) => m.name === panel.method).reliability;
      assert.equal(panel.bins.length, wanted.length);
      wanted.forEach((bin, b) => {
        const agreement = panel.truth === 'vote' ? bin.accuracy : bin.agreement;
        assert.deepEqual(panel.bins[b], [bin.count, bin.confidence, agreement], `${panel.method} ${panel.truth} ${b}`);
      });
    }
  });

  with_page('of the other figures are those of results.json', {}, async (page) => {
    const marks = await page.$$eval('#figures [data-figure]', (figures) => figures.flatMap((figure) =>
      [...figure.querySelectorAll('[data-method][data-value]')].map((mark) => ({
        figure: figure.dataset.figure,
        method: mark.getAttribute('data-method'),
        metric: mark.getAttribute('data-metric'),
        value: Number(mark.getAttribute('data-value')),
      }))));
    const { methods } = report.results.splits[0];
    const heat = marks.filter((mark) => mark.figure === 'heatmap');
    assert.ok(heat.length > 100);
    for (const mark of heat) {
      const metric = mark.metric.replace(' %', '');
      assert.equal(mark.value, methods.find((m) => m.name === mark.method).metrics[metric].value);
    }
    const bars = marks.filter((mark) => mark.figure === 'bars-nll');
    assert.ok(bars.length > 10);
    for (const mark of bars) {
      const { mean } = report.results.over_splits.find((m) => m.name === mark.method).metrics.nll;
      assert.equal(mark.value, mean, mark.method);
    }
    const points = await page.$$eval('[data-figure="error-by-entropy"] .series', (all) => all.map((series) => ({
      method: series.getAttribute('data-method'),
      points: [...series.querySelectorAll('[data-entropy]')].map((p) => ['data-entropy', 'data-error', 'data-count'].map((key) => Number(p.getAttribute(key)))),
    })));
    assert.ok(points.length >= 3);
    for (const { method, points: drawn } of points) {
      const wanted = methods.find((m) => m.name === method).pointwise_by_entropy;
      assert.deepEqual(drawn, wanted.map((bin) => [bin.entropy, bin.error, bin.count]), method);
    }
  });

  with_page('of the answer are in the first screen', {}, async (page) => {
    const text = await page.textContent('#answer');
    for (const words of report.results.answer.words) assert.ok(text.includes(words));
    const heading = await page.locator('#answer h2').boundingBox();
    const cards = await page.locator('.cards').boundingBox();
    assert.ok(heading.y >= 0 && cards.y + cards.height < 900);
  });

  with_page('can be had again by the command on the page', {}, async (page) => {
    const command = await page.textContent('#protocol pre code');
    assert.equal(command, report.results.command.join(' '));
  });
});

describe('controls', () => {
  const column = (page, metric) => page.$$eval(`#methods tbody td[data-metric="${metric}"]`, (cells) => cells.map((c) => (c.dataset.value === 'none' ? null : Number(c.dataset.value))));

  with_page('sort the table, nothing last', {}, async (page) => {
    const button = page.locator('#methods th[data-metric="nll"] .sort');
    const heading = page.locator('#methods th[data-metric="nll"]');
    await button.click();
    assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
    const up = await column(page, 'nll');
    await button.click();
    assert.equal(await heading.getAttribute('aria-sort'), 'descending');
    const down = await column(page, 'nll');
    const finite = up.filter((v) => v !== null);
    assert.deepEqual(finite, [...finite].sort((a, b) => a - b));
    assert.deepEqual(down.filter((v) => v !== null), [...finite].reverse());
    for (const values of [up, down]) assert.ok(!values.slice(0, finite.length).includes(null));
    assert.match(await page.textContent('#announce'), /Sorted by nll.*descending/);
    await page.locator('#methods th[data-metric="accuracy"] .sort').focus();
    await page.keyboard.press('Enter');
    const best = await column(page, 'accuracy');
    assert.deepEqual(best, [...best].sort((a, b) => b - a), 'higher is better: best first');
  });

  with_page('choose metrics and methods', {}, async (page) => {
    const visible = () => page.$$eval('#methods thead th[data-metric]', (all) => all.filter((h) => !h.hidden).length);
    assert.equal(await visible(), 7);
    await page.click('summary:text-is("Metrics")');
    await page.click('[data-choose="metrics-all"]');
    assert.equal(await visible(), report.results.metrics.length);
    await page.uncheck('[data-show-metric="nll"]');
    assert.equal(await visible(), report.results.metrics.length - 1);
    await page.click('[data-choose="metrics-usual"]');
    assert.equal(await visible(), 7);
    await page.click('summary:text-is("Methods")');
    await page.uncheck('[data-show-method="ts"]');
    assert.equal(await page.locator('#methods tr[data-method="ts"]').isVisible(), false);
    assert.ok(await page.locator('#grids .panel[data-method="ts"]').first().evaluate((p) => p.classList.contains('off')));
    await page.click('[data-choose="methods-none"]');
    assert.equal(await page.locator('#methods tbody tr:visible').count(), 0);
    await page.click('[data-choose="methods-all"]');
    assert.equal(await page.locator('#methods tbody tr:visible').count(), report.results.splits[0].methods.length);
  });

  with_page('hide the intervals', {}, async (page) => {
    assert.ok(await page.locator('#methods .interval:visible').count() > 0);
    await page.uncheck('#show-intervals');
    assert.equal(await page.locator('#methods .interval:visible').count(), 0);
  });

  with_page('explain a metric by pointer and by focus, until Escape', {}, async (page) => {
    const { definition } = report.results.metrics.find((m) => m.name === 'ece_expected');
    const tip = page.locator('#tip-ece-expected');
    const button = page.locator('#methods th[data-metric="ece_expected"] .info');
    assert.equal(await tip.isVisible(), false);
    await button.hover();
    assert.equal(await tip.isVisible(), true);
    assert.ok((await tip.textContent()).includes(definition));
    await page.mouse.move(0, 0);
    assert.equal(await tip.isVisible(), false);
    await button.focus();
    assert.equal(await tip.isVisible(), true);
    await page.keyboard.press('Escape');
    assert.equal(await tip.isVisible(), false);
  });

  with_page('copy the table as it is shown', {}, async (page) => {
    await page.click('summary:text-is("Copy")');
    const copied = async (format) => { await page.click(`[data-copy="${format}"]`); return page.inputValue('#copied'); };
    const markdown = await copied('Markdown');
    assert.equal(markdown.trim().split('\n').length, report.results.splits[0].methods.length + 2);
    assert.match(markdown, /\| method \| T \| nll \|/);
    const latex = await copied('LaTeX');
    assert.match(latex, /\\toprule/);
    assert.match(latex, /ece\\_expected \\%/);
    const csv = await copied('CSV');
    assert.match(csv.split('\n')[0], /^method,T,nll,/);
    const { nll } = report.results.splits[0].methods[0].metrics;
    assert.equal(csv.split('\n')[1].split(',')[2], shown('nll', nll.value), 'numbers alone');
  });

  with_page('switch methods, and between annotators and vote', {}, async (page) => {
    await page.selectOption('#explore-method', 'ts');
    const figure = page.locator('.method-figure:visible');
    assert.equal(await figure.count(), 1);
    assert.equal(await figure.getAttribute('data-explore'), 'ts');
    const panel = (truth) => figure.locator(`.panel[data-truth="${truth}"]`);
    assert.ok(await panel('annotators').isVisible() && await panel('vote').isVisible());
    await page.check('input[name="truth"][value="vote"]');
    assert.equal(await panel('annotators').isVisible(), false);
    const box = await panel('vote').locator('.bins').boundingBox();
    const svg = await figure.locator('svg').boundingBox();
    assert.ok(box.x >= svg.x && box.x + box.width <= svg.x + svg.width, 'the panel is inside the picture');
    await page.check('input[name="truth"][value="annotators"]');
    assert.equal(await panel('vote').isVisible(), false);
  });

  with_page('take the noise band away', {}, async (page) => {
    const bands = page.locator('.method-figure:visible .noise-band:visible');
    assert.ok(await bands.count() > 0);
    await page.uncheck('#show-noise');
    assert.equal(await bands.count(), 0);
  });

  with_page('choose the metric of the bars', {}, async (page) => {
    assert.equal(await page.locator('#bars figure:visible').count(), 1);
    await page.selectOption('#explore-metric', 'bars-ece-true');
    assert.equal(await page.locator('#bars figure:visible').getAttribute('data-figure'), 'bars-ece-true');
  });

  with_page('show what a bin holds, by pointer and by keys', {}, async (page) => {
    const name = report.results.answer.recommended;
    const bins = report.results.splits[0].methods.find((m) => m.name === name).reliability;
    const index = bins.reduce((best, bin, b) => (bin.count > bins[best].count ? b : best), 0);
    const panel = page.locator('.method-figure:visible .panel[data-truth="annotators"]');
    await panel.locator(`.bin[data-bin="${index}"] .f-hit`).hover({ force: true });
    const text = await page.textContent('#bin-info');
    assert.ok(text.includes(`${bins[index].count} example`), text);
    assert.ok(text.includes(`${(100 * bins[index].confidence).toFixed(1)} %`), text);
    const inside = report.examples.filter((e) => e.method === name &&
      e.confidence > index / bins.length && e.confidence <= (index + 1) / bins.length);
    assert.ok(text.includes(`row ${inside[0].row}`), text);
    assert.ok(text.includes(`and ${inside.length - 12} more`), text);
    await panel.locator('.bin').first().focus();
    await page.keyboard.press('End');
    assert.match(await page.textContent('#bin-info'), /^0\.93–1\.00/);
    await page.keyboard.press('ArrowLeft');
    assert.match(await page.textContent('#bin-info'), /^0\.87–0\.93/);
  });

  with_page('change the number of bins, computed as the program does', {}, async (page) => {
    const name = report.results.answer.recommended;
    const panel = page.locator('.method-figure:visible .panel[data-truth="annotators"]');
    await page.fill('#bin-count', '30');
    await page.keyboard.press('Tab');
    assert.equal(await panel.locator('.bin').count(), 30);
    const drawn = await panel.locator('.bin').evaluateAll((all) => all.map((bin) => [bin.getAttribute('data-count'), bin.getAttribute('data-agreement')].map(Number)));
    const wanted = Array.from({ length: 30 }, () => ({ n: 0, sum: 0, gap: 0 }));
    const mine = report.examples.filter((e) => e.method === name);
    for (const e of mine) {
      const bin = wanted[Math.max(Math.ceil(e.confidence * 30) - 1, 0)];
      bin.n += 1;
      bin.sum += e.agreement;
      bin.gap += e.confidence - e.agreement;
    }
    wanted.forEach((bin, b) => {
      assert.equal(drawn[b][0], bin.n, `bin ${b}`);
      if (bin.n > 0) assert.ok(Math.abs(drawn[b][1] - bin.sum / bin.n) < 1e-3);
    });
    const ece = wanted.reduce((sum, bin) => sum + Math.abs(bin.gap), 0) / mine.length;
    // Four digits are embedded, so the last printed one may differ.
    const said = Number(/ece_expected ([\d.]+) %/.exec(await panel.textContent())[1]);
    assert.ok(Math.abs(said - 100 * ece) < 0.02, `${said} ${100 * ece}`);
    // The counts are drawn to another scale: none of its old ticks may be left, until it is back.
    const ticks = () => panel.evaluate((g) => [...g.querySelectorAll('line.f-axis')].filter((line) => {
      const [x1, y1, y2] = ['x1', 'y1', 'y2'].map((key) => Number(line.getAttribute(key)));
      return x1 < Number(g.dataset.x0) && y1 === y2 && y1 >= Number(g.dataset.strip1) &&
        y1 < Number(g.dataset.strip0) && line.getAttribute('visibility') !== 'hidden';
    }).length);
    assert.equal(await ticks(), 0);
    await page.fill('#bin-count', '15');
    await page.keyboard.press('Tab');
    assert.equal(await panel.locator('.bin').count(), 15);
    assert.ok(await ticks() > 0);
    const { reliability } = report.results.splits[0].methods.find((m) => m.name === name);
    assert.equal(Number(await panel.locator('.bin').last().getAttribute('data-confidence')), reliability.at(-1).confidence);
  });

  with_page('turn the page dark and light', { colorScheme: 'light' }, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click('#theme');
    const dark = await paper();
    assert.notEqual(dark, light);
    await page.click('#theme');
    assert.equal(await paper(), light);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await paper(), light, 'light was asked for');
    await page.click('#theme');
    assert.equal(await paper(), dark, 'automatic follows the system');
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

  with_page('prints light, without controls, figures whole', { colorScheme: 'dark' }, async (page) => {
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.controls:visible, nav:visible, .info:visible').count(), 0);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('figure')).breakInside), 'avoid');
    await page.pdf({ path: join(pictures, 'print.pdf'), format: 'A4', margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' } });
  });

  with_page('is a whole document without script', { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator('.needs-script:visible').count(), 0);
    assert.equal(await page.locator('#methods thead th[data-metric]:visible').count(), report.results.metrics.length);
    assert.ok(await page.locator('#bars figure:visible').count() > 3);
    assert.equal(await page.locator('.method-figure > summary:visible').count(), report.results.splits[0].methods.length);
    await page.locator('#methods th[data-metric="nll"] .info').focus();
    assert.ok(await page.locator('#tip-nll').isVisible());
    await page.screenshot({ path: join(pictures, 'no-script.png') });
  });

  it('is the same when compare writes it', () => {
    const data = ['--logits', 'demo/logits.npy', '--votes', 'demo/votes.csv'];
    const quick = ['--resamples', '50', '--draws', '5', '--methods', 'ts,slts'];
    run('compare', ...data, ...quick, '-o', 'small', '--report', '--examples', '--embed-examples', '50');
    run('report', 'small', '-o', 'again.html', '--embed-examples', '50');
    assert.equal(readFileSync(path_of('small/report.html'), 'utf8'), readFileSync(path_of('again.html'), 'utf8'));
  });

  it('has a script below 60 KB', () => {
    const script = /<script>([^]*?)<\/script>/.exec(readFileSync(report.path, 'utf8'))[1];
    assert.ok(script.length < 60_000, `${script.length}`);
  });
});
