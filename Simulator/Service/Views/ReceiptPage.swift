import HTTPInterface
import Payments
import Receipts
import Sessions
import Yosemite

/// A receipt in the requested format.
struct ReceiptPage: Sendable {
    private let session: ServedSession
    private let payment: Int64
    private let kind: ReceiptContent.Kind?
    private let copy: ReceiptCopy
    private let format: String

    static let formats = ["text", "html", "png"]

    /// - Throws: ``APIError``
    init(_ call: ServiceCall) throws(APIError) {
        (session, payment) = (try call.session(), try call.payment())
        kind = try call.word("kind", ["sale", "refund"]).flatMap { ReceiptContent.Kind(rawValue: $0) }
        copy = ReceiptCopy(rawValue: try call.word("copy", ["customer", "merchant"]) ?? "") ?? .customer
        let accepted = call.request.headers["accept"] ?? ""
        format =
            try call.word("format", Self.formats)
            ?? (accepted.contains("text/html") ? "html" : accepted.contains("image/png") ? "png" : "text")
    }

    /// - Throws: ``APIError``
    func answer() async throws(APIError) -> APIAnswer {
        _ = try await session.payment(payment)
        let (payment, kind, copy) = (payment, kind, copy)
        guard format != "text" else {
            return .text(
                try await session.look("receipt") { session async throws(SimulatedSessionError) in
                    try await session.receipt(of: PaymentID(rawValue: payment), kind: kind, copy: copy)
                })
        }
        let content = try await session.look("receipt") { session async throws(SimulatedSessionError) in
            try await session.receiptContent(of: PaymentID(rawValue: payment), kind: kind)
        }
        guard let locale = ReceiptLocale(code: "en-US") ?? ReceiptLocale.all.first else {
            throw APIError(500, "internal", "there is no language for receipts")
        }
        let (document, composer) = (ReceiptDocument(content, copy: copy), ReceiptComposer(locale: locale))
        do throws(ReceiptError) {
            if format == "png" {
                let picture = try PictureRenderer(locale: locale, paper: .roll80).png(composer.compose(document))
                return APIAnswer(200, "image/png", .bytes(picture.bytes))
            }
            let page = try HTMLRenderer(locale: locale).render(
                composer.compose(document), title: composer.title(document))
            return .text(page, "text/html; charset=utf-8")
        } catch {
            throw APIError(500, "not_rendered", error.description)
        }
    }
}
