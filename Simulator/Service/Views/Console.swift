import HTTPInterface
import SessionViews

/// The web console.
enum Console {
    static let style = PageFiles.style
    static let script = JoinedScript("main.js", of: PageFiles.modules).text
    static let page = ConsolePage(PageFiles.console, style: style, script: script, named: "main.js").answer
}
