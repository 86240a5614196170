/// The web console: one page, which is part of the program and loads nothing from elsewhere.
enum Console {
    static let page = APIAnswer(200, "text/html; charset=utf-8", .bytes(PackageResources.console_html))
        .with("Content-Security-Policy", policy).with("Cache-Control", "no-cache")
        .with("Referrer-Policy", "no-referrer")

    /// Nothing but what is in the page itself, and requests to where it came from. Receipts are shown in a frame.
    private static let policy =
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
        + "frame-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
