// A page as a mini program has it: it calls its app by names, and shows what comes back.

const groups = {
  'Shown by the app': {
    showToast: { title: 'Saved' },
    hideToast: {},
    showModal: { title: 'Delete the draft?', content: 'It cannot be restored.' },
    showActionSheet: { itemList: ['small', 'medium', 'large'] },
    showLoading: { title: 'One moment' },
    hideLoading: {},
    setNavigationBarTitle: { title: 'Your order' },
  },
  Pages: {
    navigateTo: { url: '/pages/order?id=17' },
    redirectTo: { url: '/pages/done' },
    navigateBack: { delta: 1 },
  },
  'The person': {
    login: {},
    checkSession: {},
    getSetting: {},
    getUserProfile: { desc: 'It is written on your cup.' },
    requestSubscribeMessage: { tmplIds: ['order-ready'] },
    requestPayment: { package: 'prepay_id=17', nonceStr: 'n', timeStamp: '1', signType: 'MD5', paySign: 's' },
  },
  'The device': {
    getSystemInfo: {},
    getBatteryInfo: {},
    getNetworkType: {},
    getLocation: { type: 'wgs84' },
    scanCode: { onlyFromCamera: true },
    makePhoneCall: { phoneNumber: '555 0117' },
    vibrateShort: { type: 'light' },
    setClipboardData: { data: 'PP-17' },
    getClipboardData: {},
  },
  'Pictures and storage': {
    chooseImage: { count: 1 },
    previewImage: { urls: ['http://tmp/album.jpg'] },
    uploadFile: { filePath: 'http://tmp/album.jpg', name: 'picture' },
    setStorage: { key: 'milk', data: 'oat milk' },
    getStorage: { key: 'milk' },
    removeStorage: { key: 'milk' },
  },
};
// By WeixinJSBridge alone.
const invoked = {
  getBrandWCPayRequest: { package: 'prepay_id=17', nonceStr: 'n', timeStamp: '1', signType: 'MD5', paySign: 's' },
  imagePreview: { current: 'http://tmp/album.jpg', urls: ['http://tmp/album.jpg'] },
  closeWindow: {},
};

const ways = {
  // Resolves to the result, and rejects where the app failed or the person refused.
  wx: (name, data) => wx[name](data),
  // Calls back in either case; "err_msg" says how it went.
  invoke: (name, data) => new Promise((resolve, reject) => {
    WeixinJSBridge.invoke(name, data, result => (result.err_msg === name + ':ok' ? resolve : reject)(result));
  }),
};

const element = (name, text, kind = '') => Object.assign(document.createElement(name), { textContent: text, className: kind });
const log = document.getElementById('log');

async function call(way, name, data) {
  document.getElementById('none').hidden = true;
  const answer = element('code', '…', 'waiting');
  const row = element('li', '');
  row.append(element('b', name), element('code', JSON.stringify(data)), answer);
  log.prepend(row);
  try {
    answer.textContent = JSON.stringify(await ways[way](name, data));
    answer.className = 'good';
  } catch (error) {
    answer.textContent = error.err_msg ? JSON.stringify(error) : error.message;
    answer.className = 'bad';
  }
}

function show(title, calls, way) {
  const group = document.getElementById('groups').appendChild(element('div', '', 'group'));
  group.append(element('h2', title));
  for (const [name, data] of Object.entries(calls)) {
    const button = group.appendChild(element('button', name));
    button.onclick = () => call(way || document.querySelector('[name=way]:checked').value, name, data);
  }
}

for (const [title, calls] of Object.entries(groups)) show(title, calls);
show('Only by WeixinJSBridge', invoked, 'invoke');
