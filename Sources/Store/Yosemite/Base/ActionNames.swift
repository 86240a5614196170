// The names of the actions that sessions dispatch most often. Reflection, by which other actions get their name,
// resolves the types of a case's values each time, which takes longer than many actions do.

extension CardPresentPaymentsAction {
    public var name: String {
        switch self {
        case .use: "CardPresentPaymentsAction.use"
        case .selectedPaymentGatewayAccount: "CardPresentPaymentsAction.selectedPaymentGatewayAccount"
        case .loadActivePaymentGatewayExtension: "CardPresentPaymentsAction.loadActivePaymentGatewayExtension"
        case .loadAccounts: "CardPresentPaymentsAction.loadAccounts"
        case .loadConnectionToken: "CardPresentPaymentsAction.loadConnectionToken"
        case .loadDefaultReaderLocation: "CardPresentPaymentsAction.loadDefaultReaderLocation"
        case .checkDeviceSupport: "CardPresentPaymentsAction.checkDeviceSupport"
        case .startCardReaderDiscovery: "CardPresentPaymentsAction.startCardReaderDiscovery"
        case .cancelCardReaderDiscovery: "CardPresentPaymentsAction.cancelCardReaderDiscovery"
        case .connect: "CardPresentPaymentsAction.connect"
        case .disconnect: "CardPresentPaymentsAction.disconnect"
        case .loadReaderSession: "CardPresentPaymentsAction.loadReaderSession"
        case .observeConnectedReaders: "CardPresentPaymentsAction.observeConnectedReaders"
        case .publishCardReaderConnections: "CardPresentPaymentsAction.publishCardReaderConnections"
        case .observeCardReaderReconnection: "CardPresentPaymentsAction.observeCardReaderReconnection"
        case .cancelCardReaderReconnection: "CardPresentPaymentsAction.cancelCardReaderReconnection"
        case .loadRememberedCardReaders: "CardPresentPaymentsAction.loadRememberedCardReaders"
        case .rememberCardReader: "CardPresentPaymentsAction.rememberCardReader"
        case .forgetCardReaders: "CardPresentPaymentsAction.forgetCardReaders"
        case .collectPayment: "CardPresentPaymentsAction.collectPayment"
        case .quoteOrder: "CardPresentPaymentsAction.quoteOrder"
        case .collectOrderPayment: "CardPresentPaymentsAction.collectOrderPayment"
        case .retryPayment: "CardPresentPaymentsAction.retryPayment"
        case .cancelPayment: "CardPresentPaymentsAction.cancelPayment"
        case .quoteRefund: "CardPresentPaymentsAction.quoteRefund"
        case .refundPayment: "CardPresentPaymentsAction.refundPayment"
        case .capturePreauthorization: "CardPresentPaymentsAction.capturePreauthorization"
        case .incrementPreauthorization: "CardPresentPaymentsAction.incrementPreauthorization"
        case .cancelPreauthorization: "CardPresentPaymentsAction.cancelPreauthorization"
        case .cancelRefund: "CardPresentPaymentsAction.cancelRefund"
        case .observeCardReaderUpdateState: "CardPresentPaymentsAction.observeCardReaderUpdateState"
        case .startCardReaderUpdate: "CardPresentPaymentsAction.startCardReaderUpdate"
        case .cancelCardReaderUpdate: "CardPresentPaymentsAction.cancelCardReaderUpdate"
        case .reset: "CardPresentPaymentsAction.reset"
        case .fetchWCPayCharge: "CardPresentPaymentsAction.fetchWCPayCharge"
        case .recoverPayments: "CardPresentPaymentsAction.recoverPayments"
        case .syncOrderPayments: "CardPresentPaymentsAction.syncOrderPayments"
        case .acceptOrderPayment: "CardPresentPaymentsAction.acceptOrderPayment"
        case .loadPaymentsToReview: "CardPresentPaymentsAction.loadPaymentsToReview"
        case .loadPayments: "CardPresentPaymentsAction.loadPayments"
        case .loadOrderPayments: "CardPresentPaymentsAction.loadOrderPayments"
        case .loadPayment: "CardPresentPaymentsAction.loadPayment"
        }
    }
}

extension ReceiptAction {
    public var name: String {
        switch self {
        case .print: "ReceiptAction.print"
        case .reprint: "ReceiptAction.reprint"
        case .cancelPrint: "ReceiptAction.cancelPrint"
        case .loadPrintJobs: "ReceiptAction.loadPrintJobs"
        case .resolvePrintJobs: "ReceiptAction.resolvePrintJobs"
        case .generateContent: "ReceiptAction.generateContent"
        case .saveReceipt: "ReceiptAction.saveReceipt"
        case .loadReceipt: "ReceiptAction.loadReceipt"
        case .loadReceipts: "ReceiptAction.loadReceipts"
        case .countReceipts: "ReceiptAction.countReceipts"
        case .retrieveReceipt: "ReceiptAction.retrieveReceipt"
        }
    }
}
