extension Expectation.Check {
    /// The key that it has in a file.
    public var key: String {
        switch self {
        case .outcome: "outcome"
        case .error: "error"
        case .state: "state"
        case .events: "events"
        case .noEvents: "noEvents"
        case .display: "display"
        case .noDisplay: "noDisplay"
        case .apdu: "apdu"
        case .noAPDU: "noAPDU"
        case .receipt: "receipt"
        case .noReceipt: "noReceipt"
        case .merchantReceipt: "merchantReceipt"
        case .printed: "printed"
        case .noPrinted: "noPrinted"
        case .prints: "prints"
        case .journal: "journal"
        case .rows: "rows"
        case .ledger: "ledger"
        case .charged: "charged"
        case .charges: "charges"
        case .site: "site"
        case .tvr: "tvr"
        case .tsi: "tsi"
        case .cvm: "cvm"
        case .entry: "entry"
        case .elapsed: "elapsed"
        case .reconciled: "reconciled"
        }
    }
}
