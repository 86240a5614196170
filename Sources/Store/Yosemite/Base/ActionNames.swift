// The names of the actions that sessions dispatch most often. Reflection, by which other actions get their name,
// resolves the types of a case's values each time, which takes longer than many actions do.

extension CardPresentPaymentsAction {
    public var name: String { "CardPresentPaymentsAction.\(word)" }

    private var word: StaticString {
        switch self {
        case .use: "use"
        case .selectedPaymentGatewayAccount: "selectedPaymentGatewayAccount"
        case .loadActivePaymentGatewayExtension: "loadActivePaymentGatewayExtension"
        case .loadAccounts: "loadAccounts"
        case .loadConnectionToken: "loadConnectionToken"
        case .loadDefaultReaderLocation: "loadDefaultReaderLocation"
        case .checkDeviceSupport: "checkDeviceSupport"
        case .startCardReaderDiscovery: "startCardReaderDiscovery"
        case .cancelCardReaderDiscovery: "cancelCardReaderDiscovery"
        case .connect: "connect"
        case .disconnect: "disconnect"
        case .loadReaderSession: "loadReaderSession"
        case .observeConnectedReaders: "observeConnectedReaders"
        case .publishCardReaderConnections: "publishCardReaderConnections"
        case .observeCardReaderReconnection: "observeCardReaderReconnection"
        case .cancelCardReaderReconnection: "cancelCardReaderReconnection"
        case .loadRememberedCardReaders: "loadRememberedCardReaders"
        case .rememberCardReader: "rememberCardReader"
        case .forgetCardReaders: "forgetCardReaders"
        case .collectPayment: "collectPayment"
        case .quoteOrder: "quoteOrder"
        case .collectOrderPayment: "collectOrderPayment"
        case .retryPayment: "retryPayment"
        case .cancelPayment: "cancelPayment"
        case .quoteRefund: "quoteRefund"
        case .refundPayment: "refundPayment"
        case .capturePreauthorization: "capturePreauthorization"
        case .incrementPreauthorization: "incrementPreauthorization"
        case .cancelPreauthorization: "cancelPreauthorization"
        case .cancelRefund: "cancelRefund"
        case .observeCardReaderUpdateState: "observeCardReaderUpdateState"
        case .startCardReaderUpdate: "startCardReaderUpdate"
        case .cancelCardReaderUpdate: "cancelCardReaderUpdate"
        case .reset: "reset"
        case .fetchWCPayCharge: "fetchWCPayCharge"
        case .recoverPayments: "recoverPayments"
        case .syncOrderPayments: "syncOrderPayments"
        case .acceptOrderPayment: "acceptOrderPayment"
        case .loadPaymentsToReview: "loadPaymentsToReview"
        case .loadPayments: "loadPayments"
        case .loadOrderPayments: "loadOrderPayments"
        case .loadPayment: "loadPayment"
        }
    }
}

extension ReceiptAction {
    public var name: String { "ReceiptAction.\(word)" }

    private var word: StaticString {
        switch self {
        case .print: "print"
        case .reprint: "reprint"
        case .cancelPrint: "cancelPrint"
        case .loadPrintJobs: "loadPrintJobs"
        case .resolvePrintJobs: "resolvePrintJobs"
        case .generateContent: "generateContent"
        case .saveReceipt: "saveReceipt"
        case .loadReceipt: "loadReceipt"
        case .loadReceipts: "loadReceipts"
        case .countReceipts: "countReceipts"
        case .retrieveReceipt: "retrieveReceipt"
        }
    }
}
