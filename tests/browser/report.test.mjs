// The report in a browser: its numbers are those of results.json, its controls do what they say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { finish, folder, make_report, page_test, path_of, run, unfold } from './support.mjs';

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

const with_page = page_test(() => report.path);

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
      // Eight digits, for sorting.
      if (value === null) assert.equal(cell.value, 'none', `${cell.method} ${cell.metric}`);
      else assert.equal(Number(cell.value), Number(value.toPrecision(8)), `${cell.method} ${cell.metric}`);
      assert.ok(close_text(cell.text, shown(cell.metric, value)), `${cell.method} ${cell.metric}: ${cell.text}`);
    }
  });

  with_page('of every reliability diagram are those of results.json', {}, async (page) => {
    await unfold(page);
    const panels = (selector) => page.$$eval(selector, (all) => all.map((panel) => ({
      method: panel.getAttribute('data-method'),
      truth: panel.getAttribute('data-truth'),
      bins: [...panel.querySelectorAll('.bin')].map((bin) => ['data-count', 'data-confidence', 'data-agreement']
        .map((key) => (bin.getAttribute(key) === null ? null : Number(bin.getAttribute(key))))),
    })));
    const { methods } = report.results.splits[0];
    // Drawn by the program exactly; by the script from five digits.
    const check = (panel, slack) => {
      const wanted = methods.find((m) => m.name === panel.method).reliability;
      assert.equal(panel.bins.length, wanted.length);
      wanted.forEach((bin, b) => {
        const agreement = panel.truth === 'vote' ? bin.accuracy : bin.agreement;
        const place = `${panel.method} ${panel.truth} ${b}`;
        [bin.count, bin.confidence, agreement].forEach((value, i) => {
          if (value === null) assert.equal(panel.bins[b][i], null, place);
          else assert.ok(Math.abs(panel.bins[b][i] - value) <= slack, `${place}: ${panel.bins[b][i]} for ${value}`);
        });
      });
    };
    const first = await panels('.first .wide .panel, .method-figure .panel');
    assert.equal(first.length, 4);
    for (const panel of first) check(panel, 0);
    for (const { name } of methods) {
      await page.selectOption('#explore-method', name);
      const [left, right] = await panels('.method-figure .panel');
      assert.deepEqual([left.method, left.truth, right.method, right.truth], [name, 'annotators', name, 'vote']);
      check(left, 1e-5);
      check(right, 1e-5);
    }
  });

  with_page('of the other figures are those of results.json', {}, async (page) => {
    const marks = await page.$$eval('#figures [data-figure]', (figures) => figures.flatMap((figure) =>
      [...figure.querySelectorAll('.frame:not(.narrow) [data-method][data-value]')].map((mark) => ({
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
    const points = await page.$$eval('[data-figure="error-by-entropy"] .wide .series', (all) => all.map((series) => ({
      method: series.getAttribute('data-method'),
      points: [...series.querySelectorAll('[data-entropy]')].map((p) => ['data-entropy', 'data-error', 'data-count'].map((key) => Number(p.getAttribute(key)))),
    })));
    assert.ok(points.length >= 3);
    const { candidate } = report.results.answer;
    assert.ok(points.some(({ method }) => method === 'a perfect model'));
    for (const { method, points: drawn } of points) {
      const perfect = method === 'a perfect model';
      const wanted = methods.find((m) => m.name === (perfect ? candidate : method)).pointwise_by_entropy
        .filter((bin) => !perfect || bin.perfect_error !== undefined)
        .map((bin) => [bin.entropy, perfect ? bin.perfect_error : bin.error, bin.count]);
      assert.deepEqual(drawn, wanted, method);
    }
  });

  with_page('of the answer are in the first screen, the picture beside the words', {}, async (page) => {
    const text = await page.textContent('#answer');
    for (const words of report.results.answer.words) assert.ok(text.includes(words));
    const box = (selector) => page.locator(selector).first().boundingBox();
    const [heading, lead, cards, picture] = [await box('#answer h2'), await box('.lead'), await box('.cards'), await box('.first svg')];
    assert.ok(heading.y >= 0 && cards.y + cards.height < 900);
    assert.ok(picture.x > lead.x + lead.width && picture.y < lead.y, 'beside');
    assert.ok(picture.y + picture.height < 900);
    assert.ok(picture.x + picture.width > 1200, 'the width is used');
    const [before, after] = ['uncalibrated', report.results.answer.recommended].map((name) =>
      100 * report.results.splits[0].methods.find((m) => m.name === name).metrics.ece_expected.value);
    assert.equal(await page.textContent('.lead'), `Confidence is off by ${before.toFixed(0)} points; calibrated, by ${after.toFixed(0)}.`);
    assert.match(await page.textContent('.plain'), /^For example, /);
    assert.equal(report.results.answer.verdict, 'ship');
    const headline = `Ship ${report.results.answer.recommended}`;
    assert.equal(await page.textContent('#answer h2'), headline);
    assert.ok((await page.title()).startsWith(headline));
  });

  with_page('can be had again by the command on the page, which names no folder', {}, async (page) => {
    const command = await page.textContent('#protocol pre code');
    assert.equal(command, report.results.command.map((word) => word.split('/').at(-1)).join(' '));
  });

  it('come without the place of the files', async () => {
    const data = ['--logits', path_of('demo/logits.npy'), '--votes', path_of('demo/votes.csv')];
    run('compare', ...data, '--resamples', '0', '--draws', '5', '--methods', 'ts,slts', '-o', path_of('placed'), '--report');
    const results = readFileSync(path_of('placed/results.json'), 'utf8');
    assert.ok(results.includes(folder), 'the results say where the files are');
    assert.ok(!readFileSync(path_of('placed/report.html'), 'utf8').includes(folder), 'the page does not');
  });
});

describe('controls', () => {
  const column = (page, metric) => page.$$eval(`#methods tbody td[data-metric="${metric}"]`, (cells) => cells.map((c) => (c.dataset.value === 'none' ? null : Number(c.dataset.value))));

  with_page('show the first five methods, and all', {}, async (page) => {
    const names = () => page.$$eval('#methods tbody tr', (rows) => rows.filter((row) => row.getClientRects().length > 0).map((row) => row.dataset.method));
    const { methods } = report.results.splits[0];
    const always = ['uncalibrated', report.results.answer.recommended];
    const wanted = methods.filter((m, j) => j < 5 || always.includes(m.name)).map((m) => m.name);
    assert.deepEqual(await names(), wanted);
    const button = page.locator('#show-all');
    assert.equal(await button.textContent(), `Show all ${methods.length} methods`);
    await button.focus();
    await page.keyboard.press('Enter');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    assert.equal((await names()).length, methods.length);
    await button.click();
    // The first five of another order are others.
    await page.locator('#methods th[data-metric="ece_voted"] .sort').click();
    const order = [...methods].sort((a, b) => a.metrics.ece_voted.value - b.metrics.ece_voted.value);
    assert.deepEqual((await names()).slice(0, 5), order.slice(0, 5).map((m) => m.name));
    assert.ok((await names()).includes('uncalibrated'));
  });

  with_page('open what is folded where a link leads', {}, async (page) => {
    for (const id of ['data', 'protocol']) {
      const fold = page.locator(`#${id} > .fold`);
      assert.equal(await fold.evaluate((d) => d.open), false);
      await page.click(`nav a[href="#${id}"]`);
      assert.equal(await fold.evaluate((d) => d.open), true);
    }
  });

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
    await page.click('#show-all');
    assert.equal(await page.locator('#methods tbody tr:visible').count(), report.results.splits[0].methods.length);
  });

  with_page('hide the intervals', {}, async (page) => {
    assert.ok(await page.locator('#methods small:visible').count() > 0);
    await page.uncheck('#show-intervals');
    assert.equal(await page.locator('#methods small:visible').count(), 0);
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
    const few = (await copied('Markdown')).trim().split('\n').length;
    assert.ok(few >= 7 && few < 10, 'only the rows that are shown');
    await page.click('#show-all');
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

  with_page('switch methods, and between annotators and majority label', {}, async (page) => {
    await unfold(page);
    await page.selectOption('#explore-method', 'ts');
    const figure = page.locator('.method-figure:visible');
    assert.equal(await figure.count(), 1);
    assert.equal(await figure.locator('.panel').first().getAttribute('data-method'), 'ts');
    assert.equal(await figure.locator('h4').textContent(), 'Reliability of ts');
    assert.equal(await page.locator('#explorer .numbers:visible').getAttribute('data-explore'), 'ts');
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
    await unfold(page);
    const bands = page.locator('.method-figure:visible .noise-band:visible');
    assert.ok(await bands.count() > 0);
    await page.uncheck('#show-noise');
    assert.equal(await bands.count(), 0);
  });

  with_page('choose the metric of the bars', {}, async (page) => {
    await unfold(page);
    assert.equal(await page.locator('#bars figure:visible').count(), 1);
    await page.selectOption('#explore-metric', 'bars-ece-true');
    assert.equal(await page.locator('#bars figure:visible').getAttribute('data-figure'), 'bars-ece-true');
  });

  with_page('show what a bin holds, by pointer and by keys', {}, async (page) => {
    const name = report.results.answer.recommended;
    const bins = report.results.splits[0].methods.find((m) => m.name === name).reliability;
    const index = bins.reduce((best, bin, b) => (bin.count > bins[best].count ? b : best), 0);
    await unfold(page);
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
    await unfold(page);
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
    const said = Number(/ece_expected ([\d.]+) points/.exec(await panel.textContent())[1]);
    assert.ok(Math.abs(said - 100 * ece) < 0.02, `${said} ${100 * ece}`);
    // The strip of counts ends at the fullest bin of any method, and says so, until it is back.
    const top = () => panel.evaluate((g) => [...g.querySelectorAll('text')].find((text) =>
      Number(text.getAttribute('x')) < Number(g.dataset.x0) && Math.abs(Number(text.getAttribute('y')) - Number(g.dataset.strip1) - 3.5) < 2).textContent);
    const most = Math.max(...report.results.splits[0].methods.map((m) => {
      const counts = Array(30).fill(0);
      for (const e of report.examples) if (e.method === m.name) counts[Math.max(Math.ceil(e.confidence * 30) - 1, 0)] += 1;
      return Math.max(...counts);
    }));
    assert.equal(await top(), String(most));
    await page.fill('#bin-count', '15');
    await page.keyboard.press('Tab');
    assert.equal(await panel.locator('.bin').count(), 15);
    assert.notEqual(await top(), String(most));
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
