import HTTPInterface
import Sessions
import Yosemite

extension APIError {
    /// Creates the response for an error of a session.
    init(_ error: SimulatedSessionError) {
        let text = error.description
        switch error {
        case .plan: self.init(422, "invalid_plan", text)
        case .noSuchReader(let name, let known):
            self.init(404, "unknown_reader", text, fix: BodyNode.suggestion(name, known))
        case .noSuchCard(let name, let known):
            self.init(404, "unknown_card", text, fix: BodyNode.suggestion(name, known))
        case .readerNotFound: self.init(409, "reader_not_found", text, fix: "plug the reader in")
        case .processDied: self.init(409, "process_died", text, fix: "restart the process")
        case .storage: self.init(503, "storage", text)
        case .payments(let error): self.init(error, text)
        case .receipt(.noReceipt), .receipt(.noRefund): self.init(404, "no_receipt", text)
        case .receipt(.printer), .receipt(.notPrinted): self.init(503, "printer", text)
        case .receipt(.printUncertain): self.init(503, "printer_uncertain", text)
        case .receipt: self.init(409, "receipt", text)
        case .refused: self.init(409, "refused", text, fix: "restart the process")
        case .fault: self.init(500, "internal", text)
        case .over: self.init(404, "unknown_session", text)
        case .stuck: self.init(500, "stuck", text, fix: "reset the session")
        }
    }

    private init(_ error: CardPresentPaymentsError, _ text: String) {
        switch error {
        case .noStoreSite: self.init(409, "no_store", text, fix: "create the session with a store")
        case .site: self.init(502, "store", text)
        case .order: self.init(409, "order_not_payable", text)
        case .gateway: self.init(409, "gateway", text)
        case .refund: self.init(409, "refund_lines", text)
        case .readerConfiguration: self.init(409, "reader_location", text)
        case .reader: self.init(409, "reader", text)
        case .journal, .unrecorded: self.init(409, "journal", text)
        case .busy: self.init(409, "busy", text)
        case .restored: self.init(409, "database_restored", text)
        case .cardData: self.init(409, "card_data_closed", text)
        }
    }
}
