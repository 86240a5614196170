/// Who says what has to be on a receipt.
public enum ReceiptRuleSource: String, Hashable, Sendable, Codable, CaseIterable {
    case adyen, stripe, elavon, moneris, jpMorgan, kepapay, trustPayments, heartland
    case emv, pci, facta, brazil, australia, signatureOptional, declinedReceipts

    /// What it is called, and where it is read.
    public var title: String {
        switch self {
        case .adyen: "Adyen, receipt requirements for card schemes (docs.adyen.com)"
        case .stripe: "Stripe Terminal, receipts (docs.stripe.com/terminal/features/receipts)"
        case .elavon: "Elavon, EMV integration guide, 8 Receipt (developer.elavon.com)"
        case .moneris: "Moneris, receipt requirements (developer.moneris.com)"
        case .jpMorgan: "J.P. Morgan, in-store payments, receipt requirements (developer.payments.jpmorgan.com)"
        case .kepapay: "Kepapay, receipts (docs.kepapay.co/receipts)"
        case .trustPayments: "Trust Payments, receipt information (help.trustpayments.com)"
        case .heartland: "Heartland, credit card receipts of Canadian merchants (heartlandpos.zendesk.com)"
        case .emv: "EMV 4.4 Book 4, 6.3.4.5"
        case .pci: "PCI DSS 4.0, 3.4.1"
        case .facta: "United States, 15 U.S.C. 1681c(g)"
        case .brazil: "Brazil, Portaria SEFAZ/MT 262/2023, article 1 (sefaz.mt.gov.br)"
        case .australia: "Australian merchant agreements, records of debit card transactions (markettransfer.info)"
        case .signatureOptional: "no signature required since April 2018 (emspayments.com/no-signature-required)"
        case .declinedReceipts: "receipts of declined chip payments (rxtrax/tracking#168, #170)"
        }
    }
}
