import HTTPInterface
import SessionViews

/// The web console of the back office: one page with its styles and its script.
enum FleetConsole {
    static let page = ConsolePage(
        PageFiles.fleet, style: PageFiles.style, script: JoinedScript("fleet.js", of: PageFiles.modules).text,
        named: "fleet.js"
    ).answer
}
