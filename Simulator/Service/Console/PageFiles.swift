/// The files of the pages that show sessions: the console's, and those of reports.
public enum PageFiles {
    /// The console without its styles and its script.
    public static let console = text(PackageResources.console_html)
    /// The styles of all pages.
    public static let style = text(PackageResources.console_css)

    /// The modules of the scripts by name. `main.js` starts the console, and `report.js` a page without a server.
    public static let modules: [String: String] = [
        "main.js": PackageResources.main_js, "dom.js": PackageResources.dom_js,
        "service.js": PackageResources.service_js, "model.js": PackageResources.model_js,
        "moment.js": PackageResources.moment_js, "reader.js": PackageResources.reader_js,
        "till.js": PackageResources.till_js, "faults.js": PackageResources.faults_js,
        "lanes.js": PackageResources.lanes_js, "timeline.js": PackageResources.timeline_js,
        "decoding.js": PackageResources.decoding_js, "scenario.js": PackageResources.scenario_js,
        "sessions.js": PackageResources.sessions_js, "details.js": PackageResources.details_js,
        "report.js": PackageResources.report_js, "opening.js": PackageResources.opening_js,
    ].mapValues(text)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
