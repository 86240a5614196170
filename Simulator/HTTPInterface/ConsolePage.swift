import Cryptography
import Text

/// A page of one file, with its styles and its script in it.
package struct ConsolePage: Sendable {
    /// The response with the page.
    package let answer: APIAnswer

    /// - Parameters:
    ///   - frame: the page, with links to `console.css` and to the script.
    ///   - style: the styles, which take the place of the first link.
    ///   - script: the script, which takes the place of the second one.
    ///   - name: the name of the script in its link.
    package init(_ frame: String, style: String, script: String, named name: String) {
        let text =
            frame
            .replacing("<link rel=\"stylesheet\" href=\"console.css\">", "<style>" + style + "</style>")
            .replacing(
                "<script type=\"module\" src=\"\(name)\"></script>", "<script type=\"module\">" + script + "</script>")
        // Allows this script and these styles, and requests to the page's own server. Receipts are pictures.
        let policy =
            "default-src 'none'; script-src \(Self.source(of: script)); style-src \(Self.source(of: style)); "
            + "connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'"
        answer = APIAnswer(200, "text/html; charset=utf-8", .bytes(Array(text.utf8)))
            .with("Content-Security-Policy", policy).with("Cache-Control", "no-cache")
            .with("Referrer-Policy", "no-referrer")
    }

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
