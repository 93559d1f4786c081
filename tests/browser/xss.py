"""Texts that do something when they are taken for anything but text. Each would set `window.owned`."""

PAYLOADS = (
    "<script>window.owned=1</script>",
    "<script src=//elsewhere.test/x.js></script>",
    "<img src=x onerror=window.owned=1>",
    "<img src=x onerror=\"window.owned=1\" alt='a'>",
    '"><img src=x onerror=window.owned=1>',
    "'><svg onload=window.owned=1>",
    "<svg onload=window.owned=1>",
    "<svg><script>window.owned=1</script></svg>",
    "<svg><animate onbegin=window.owned=1 attributeName=x dur=1s>",
    "<iframe src=javascript:window.owned=1></iframe>",
    '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
    "<body onload=window.owned=1>",
    "<details open ontoggle=window.owned=1>x</details>",
    "<input autofocus onfocus=window.owned=1>",
    "<video><source onerror=window.owned=1></video>",
    "<audio src=x onerror=window.owned=1>",
    "<math><mi xlink:href=javascript:window.owned=1>x</mi></math>",
    "<object data=javascript:window.owned=1></object>",
    "<embed src=javascript:window.owned=1>",
    "<form action=javascript:window.owned=1><button>x</button></form>",
    "<base href=//elsewhere.test/>",
    "<link rel=stylesheet href=//elsewhere.test/x.css>",
    "<style>@import '//elsewhere.test/x.css';</style>",
    "<meta http-equiv=refresh content='0;url=javascript:window.owned=1'>",
    "<a href=javascript:window.owned=1>click</a>",
    "[click](javascript:window.owned=1)",
    '![x](x"onerror="window.owned=1)',
    "[x]: javascript:window.owned=1",
    "<javascript:window.owned=1>",
    "`</code><img src=x onerror=window.owned=1>`",
    "**<b onmouseover=window.owned=1>bold</b>**",
    "{{constructor.constructor('window.owned=1')()}}",
    "${window.owned=1}",
    "<noscript><p title='</noscript><img src=x onerror=window.owned=1>'>",
    "<template><img src=x onerror=window.owned=1></template>",
    "&lt;img src=x onerror=window.owned=1&gt;",
    "\\u003cimg src=x onerror=window.owned=1\\u003e",
)

# What none of them may leave in a page: an element of theirs, a handler, or an address that runs.
TRACES = """() => {
    const wrong = [];
    if (window.owned !== undefined) wrong.push("a payload ran");
    const theirs = "iframe, object, embed, base, math, video, audio, img[src=x], body[onload],"
        + " form[action^='javascript'], link[href*='elsewhere.test/x'], meta[http-equiv=refresh]";
    for (const one of document.querySelectorAll(theirs)) wrong.push(one.outerHTML.slice(0, 120));
    for (const one of document.querySelectorAll("*"))
        for (const {name, value} of one.attributes) {
            if (name.startsWith("on")) wrong.push(`${name}=${value}`);
            if (/^\\s*javascript:/i.test(value)) wrong.push(`${name}=${value}`);
        }
    return wrong;
}"""

# As if the app put words into the page as markup: what every check here must notice.
CARELESS = """() => {
    const plain = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
    Object.defineProperty(Element.prototype, "textContent", {
        get() { return plain.get.call(this); },
        set(words) { if (this.tagName === "STYLE") plain.set.call(this, words); else this.innerHTML = words; },
    });
}"""
