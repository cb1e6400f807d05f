// Tests of the shop in a browser, by Playwright: npx playwright test
import { expect, test } from 'drawbridge-gateway/playwright';

test.use({ drawbridge: ['../shop', '--choose', 'pay=pay'] });

test('pays by card', async ({ native, page }) => {
  await page.goto('/');
  await page.getByText('Pay by card').click();
  await expect(page.locator('#receipt')).toHaveText('Receipt R-2041, €24');
  await native.verify('pay', { item: 11, price: 24, channel: 'card' }, { count: 1 });
});

test('shows why the app did not pay', async ({ native, page }) => {
  await native.reply('pay', { code: 6001, message: 'The card was refused.' });
  await page.goto('/');
  await page.getByText('Pay by card').click();
  await expect(page.locator('#payment')).toHaveText('The card was refused.');
});
