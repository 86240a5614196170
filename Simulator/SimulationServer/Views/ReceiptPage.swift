internal import Hardware
internal import Receipts
internal import Sessions

/// A receipt, as a client wants to have it.
struct ReceiptPage: Sendable {
    private let session: ServedSession
    private let payment: Int64
    private let kind: ReceiptContent.Kind?
    private let copy: ReceiptCopy
    private let isHTML: Bool

    /// - Throws: ``APIError``
    init(_ call: Call) throws(APIError) {
        (session, payment) = (try call.session(), try call.payment())
        kind = try call.word("kind", ["sale", "refund"]).flatMap { ReceiptContent.Kind(rawValue: $0) }
        copy = ReceiptCopy(rawValue: try call.word("copy", ["customer", "merchant"]) ?? "") ?? .customer
        let format = try call.word("format", ["text", "html"])
        isHTML = format == "html" || format == nil && call.request.headers["accept"]?.contains("text/html") == true
    }

    /// - Throws: ``APIError``
    func answer() async throws(APIError) -> APIAnswer {
        _ = try await session.payment(payment)
        let (payment, kind, copy) = (payment, kind, copy)
        guard isHTML else {
            return .text(
                try await session.look("receipt") { session async throws(SimulatedSessionError) in
                    try await session.receipt(of: payment, kind: kind, copy: copy)
                })
        }
        let content = try await session.look("receipt") { session async throws(SimulatedSessionError) in
            try await session.receiptContent(of: payment, kind: kind)
        }
        guard let locale = ReceiptLocale(code: "en-US") ?? ReceiptLocale.all.first else {
            throw APIError(500, "internal", "there is no language for receipts")
        }
        let (document, composer) = (ReceiptDocument(content, copy: copy), ReceiptComposer(locale: locale))
        do throws(ReceiptError) {
            let page = try HTMLRenderer(locale: locale).render(
                composer.compose(document), title: composer.title(document))
            return .text(page, "text/html; charset=utf-8")
        } catch {
            throw APIError(500, "not_rendered", error.description)
        }
    }
}
