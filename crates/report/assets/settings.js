'use strict';
// Settings of real systems: one tab is shown at a time, and files are copied.

function settingsTabs() {
  const tabs = [...document.querySelectorAll('#settings [role="tab"]')];
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')).hidden = tab !== chosen;
    }
  };
  const places = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => -1 };
  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', (event) => {
      const place = places[event.key];
      if (!place) return;
      event.preventDefault();
      const next = tabs.at(place(i) % tabs.length);
      choose(next);
      next.focus();
    });
  });
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
        document.getElementById('heard').textContent = button.textContent;
      });
    });
  }
}

settingsTabs();
copyButtons();
