"""How long a reader of the page waits for the first summary and for a pinned word, in a real browser.

Starts the service, opens the page in Chromium and prints seconds from what the reader does to what the page shows:

    python -m benchmarks.page_timing [--times 5]

Needs playwright and a Chromium (apt-get install chromium). Measure on a machine that does nothing else.
"""

import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from typing import Any

SENTENCE = (
    "The city council of Larkmouth voted on Tuesday night to close the 120-year-old ferry terminal after engineers "
    "warned that its wooden piers could not survive another winter storm."
)
TEXTS = {"one sentence": 1, "504 words": 18}
"""Sentences of each text; the age of the terminal is another one in each, so that no two summaries are the same."""

WATCH = """act => new Promise(found => {
  const summary = document.querySelector('#summary'), before = summary.textContent, start = performance.now();
  new MutationObserver((_, watch) => {
    if (summary.textContent && summary.textContent !== before) {
      watch.disconnect();
      requestAnimationFrame(() => found((performance.now() - start) / 1000));
    }
  }).observe(summary, {childList: true, subtree: true, characterData: true});
  setTimeout(() => found(NaN), 20000);
  if (act.text) {
    const box = document.querySelector('#text');
    box.value = act.text;
    box.dispatchEvent(new Event('input', {bubbles: true}));
  } else {
    [...document.querySelectorAll('.word.gone')].find(word => /^\\w{6,}$/.test(word.textContent.trim())).click();
  }
})"""
"""Seconds until the summary on the page is another one, and drawn."""


def service() -> tuple[str, subprocess.Popen[bytes]]:
    """The service in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "ealm", "serve", "--port", str(port)], stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return url, process
    process.kill()
    raise SystemExit("The service did not start within a minute.")


def measure(page: Any, url: str, *, sentences: int, number: int) -> dict[str, float]:
    """Seconds to the first summary, and to the summary with a pinned word."""
    page.goto("about:blank")  # no pin of the run before
    page.goto(url)
    page.wait_for_selector("#result[aria-busy=false]")
    ages = range(100 * (number + 2), 100 * (number + 2) + sentences)
    text = " ".join(SENTENCE.replace("120", str(age)) for age in ages)
    found = {"first summary": float(page.evaluate(WATCH, {"text": text}))}
    page.wait_for_selector("#result[aria-busy=false]")
    return found | {"pin": float(page.evaluate(WATCH, {}))}


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    url, process = service()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            complaints: list[str] = []
            page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
            page.on("response", lambda answer: answer.status >= 400 and complaints.append(answer.url))
            for name, sentences in TEXTS.items():
                runs = [measure(page, url, sentences=sentences, number=number) for number in range(times)]
                for what in runs[0]:
                    seconds = [run[what] for run in runs]
                    print(
                        f"{name}, {what}: median {statistics.median(seconds):.2f} s, most {max(seconds):.2f} s",
                        flush=True,
                    )
            print("errors of the console and of requests:", complaints or "none")
            browser.close()
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    main()
