"""What axe says about a page."""

from typing import Any

from playwright.async_api import Frame, Page

from scripts.build_web import WEB

_AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
_RUN = "async (rules) => (await axe.run(document, rules ? {runOnly: rules} : {})).violations"


async def findings(page: Page) -> list[str]:
    """Serious and critical ones, in the page's colours and then in the other scheme's."""
    found = await findings_as_it_is(page)
    dark = bool(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"))
    await page.emulate_media(color_scheme="light" if dark else "dark")
    await page.wait_for_function(
        "scheme => document.documentElement.dataset.mantineColorScheme === scheme",
        arg="light" if dark else "dark",
    )
    await page.wait_for_function(
        "() => !document.getAnimations().some((one) => one instanceof CSSTransition)"
    )
    found += _said(await page.evaluate(_RUN, ["color-contrast"]), "other colours, ")
    await page.emulate_media(color_scheme="dark" if dark else "light")
    return found


async def findings_as_it_is(page: Page | Frame) -> list[str]:
    """Serious and critical ones, in the colours it has now. Into frames axe looks only where it is told to."""
    # The script runs beside the page's own, which its rules do not touch.
    await page.evaluate(_AXE.read_text())
    return _said(await page.evaluate(_RUN, None), "")


def _said(violations: list[dict[str, Any]], where: str) -> list[str]:
    return [
        f"{where}{one['id']}: {node['target']} {node.get('failureSummary', '')[:200]}"
        for one in violations
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]
