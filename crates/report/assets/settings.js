'use strict';
// Settings of real systems: one tab is shown at a time, and files are copied.

function settingsTabs() {
  const tabs = [...document.querySelectorAll('#settings [data-system]')];
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-pressed', String(tab === chosen));
      document.getElementById(`settings-${tab.dataset.system}`).hidden = tab !== chosen;
    }
  };
  for (const tab of tabs) tab.addEventListener('click', () => choose(tab));
}

/** Through a selection where the browser has no clipboard for pages that come from a file. */
function copyText(element) {
  const select = () => {
    getSelection().selectAllChildren(element);
    return document.execCommand('copy');
  };
  if (!navigator.clipboard) return Promise.resolve(select());
  return navigator.clipboard.writeText(element.textContent).then(() => true, select);
}
function copyButtons() {
  for (const button of document.querySelectorAll('#settings .copy')) {
    button.addEventListener('click', () => {
      copyText(button.closest('.file').querySelector('pre')).then((done) => {
        button.textContent = done ? 'Copied' : 'Press Ctrl-C';
      });
    });
  }
}

settingsTabs();
copyButtons();
