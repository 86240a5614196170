/// The web console: a page, its styles, and its script modules.
enum Console {
    static let page = file("text/html", PackageResources.console_html)

    /// The files of the page by name.
    static let files: [String: APIAnswer] = [
        "console.css": file("text/css", PackageResources.console_css),
        "main.js": script(PackageResources.main_js),
        "dom.js": script(PackageResources.dom_js),
        "service.js": script(PackageResources.service_js),
        "model.js": script(PackageResources.model_js),
        "moment.js": script(PackageResources.moment_js),
        "reader.js": script(PackageResources.reader_js),
        "till.js": script(PackageResources.till_js),
        "faults.js": script(PackageResources.faults_js),
        "timeline.js": script(PackageResources.timeline_js),
        "decoding.js": script(PackageResources.decoding_js),
        "scenario.js": script(PackageResources.scenario_js),
        "sessions.js": script(PackageResources.sessions_js),
    ]

    private static func script(_ bytes: [UInt8]) -> APIAnswer { file("text/javascript", bytes) }

    private static func file(_ mediaType: String, _ bytes: [UInt8]) -> APIAnswer {
        APIAnswer(200, mediaType + "; charset=utf-8", .bytes(bytes))
            .with("Content-Security-Policy", policy).with("Cache-Control", "no-cache")
            .with("Referrer-Policy", "no-referrer")
    }

    /// Allows the page's own files and requests to its own server, and no script or style in the page. Receipts are
    /// pictures.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
}
