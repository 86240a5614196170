import Cryptography
import HTTPInterface
import SessionViews
import Text

/// The web console: one page with its styles and its script, which is made of modules.
enum Console {
    static let page = APIAnswer(200, "text/html; charset=utf-8", .bytes(Array(text.utf8)))
        .with("Content-Security-Policy", policy).with("Cache-Control", "no-cache")
        .with("Referrer-Policy", "no-referrer")

    /// The page without its styles and its script.
    private static let frame = PageFiles.console
    static let style = PageFiles.style
    static let script = JoinedScript("main.js", of: PageFiles.modules).text

    /// The page with both in the places where its source has links.
    private static let text =
        frame
        .replacing("<link rel=\"stylesheet\" href=\"console.css\">", "<style>" + style + "</style>")
        .replacing(
            "<script type=\"module\" src=\"main.js\"></script>", "<script type=\"module\">" + script + "</script>")

    /// Allows this script and these styles, and requests to the page's own server. Receipts are pictures.
    private static let policy =
        "default-src 'none'; script-src \(source(of: script)); style-src \(source(of: style)); connect-src 'self'; "
        + "img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'"

    /// The source expression of a text in the page. Nothing runs when it cannot be hashed.
    private static func source(of text: String) -> String {
        guard let hash = try? SHA256.hash(Array(text.utf8)) else { return "'none'" }
        return "'sha256-\(hash.base64)'"
    }
}

extension String {
    /// Returns the text with `part`, which it has once, replaced.
    fileprivate func replacing(_ part: String, _ other: String) -> String {
        guard let begin = indices.first(where: { self[$0...].hasPrefix(part) }) else { return self }
        return self[..<begin] + other + self[begin...].dropFirst(part.count)
    }
}
