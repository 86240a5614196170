internal import EMV
internal import Hardware

extension ReceiptRule {
    /// Every rule. A field may have several, of which each counts by itself.
    static let all: [ReceiptRule] = everywhere + byBrand + northAmerica + elsewhere + forbidden

    private static let everywhere: [ReceiptRule] = [
        ReceiptRule(.merchantName, .adyen),
        ReceiptRule(.merchantAddress, .adyen),
        ReceiptRule(.merchantID, .adyen),
        ReceiptRule(.terminalID, .kepapay),
        ReceiptRule(.dateTime, .adyen),
        ReceiptRule(.transactionType, .adyen),
        ReceiptRule(.amount, .adyen),
        ReceiptRule(.approvedAmount, .declinedReceipts, when: .notApproved),
        ReceiptRule(.items, .adyen, .recommended, when: .order),
        ReceiptRule(.cardNumber, .kepapay, when: .card),
        ReceiptRule(.entryMode, .kepapay, when: .card),
        ReceiptRule(.authorizationCode, .kepapay, when: .approvedOnline),
        ReceiptRule(.applicationID, .adyen, when: .chipCard),
        ReceiptRule(.pinStatement, .adyen, when: .pin),
    ]

    private static let byBrand: [ReceiptRule] = [
        ReceiptRule(
            .applicationName, .adyen, when: .chipCard, brands: [.visa, .mastercard, .discover, .americanExpress]),
        ReceiptRule(
            .applicationName, .adyen, .recommended, when: .chipCard,
            brands: [
                .jcb, .unionPay, .interac, .usCommonDebit, .dna, .cartesBancaires, .girocard, .eftposAustralia, .ruPay,
                .mir, .pagoBancomat, .link,
            ]),
        ReceiptRule(.applicationCryptogram, .adyen, .recommended, when: .chip, brands: [.americanExpress]),
    ]

    private static let northAmerica: [ReceiptRule] = [
        ReceiptRule(.terminalVerificationResults, .elavon, when: .chip, in: [.unitedStates, .canada]),
        ReceiptRule(.issuerApplicationData, .elavon, when: .chip, in: [.unitedStates, .canada]),
        ReceiptRule(.cardBrand, .jpMorgan, when: .card, in: [.unitedStates]),
        ReceiptRule(
            .signatureLine, .signatureOptional, .recommended, when: .signature, in: [.unitedStates, .canada],
            on: .merchant),
        ReceiptRule(.cardBrand, .moneris, when: .card, in: [.canada]),
        ReceiptRule(.hostReference, .heartland, when: .approvedOnline, in: [.canada]),
        ReceiptRule(.transactionRecord, .moneris, brands: [.interac], in: [.canada]),
        ReceiptRule(.chosenAccount, .moneris, when: .card, brands: [.interac], in: [.canada]),
    ]

    private static let elsewhere: [ReceiptRule] = [
        ReceiptRule(
            .accountType, .stripe, when: .card,
            in: [.canada, .europeanUnion, .unitedKingdom, .australia, .brazil, .japan]),
        ReceiptRule(
            .signatureLine, .emv, when: .signature,
            in: [.europeanUnion, .unitedKingdom, .australia, .brazil, .japan, .other], on: .merchant),
        ReceiptRule(.cardBrand, .trustPayments, when: .card, in: [.europeanUnion, .unitedKingdom]),
        ReceiptRule(.applicationName, .trustPayments, when: .chipCard, in: [.europeanUnion, .unitedKingdom]),
        ReceiptRule(.chosenAccount, .australia, when: .card, brands: [.eftposAustralia], in: [.australia]),
        ReceiptRule(.businessNumber, .brazil, in: [.brazil]),
    ]

    private static let forbidden: [ReceiptRule] = [
        ReceiptRule(.fullCardNumber, .pci, .forbidden),
        ReceiptRule(.fullCardNumber, .facta, .forbidden, in: [.unitedStates], on: .customer),
        ReceiptRule(.expirationDate, .adyen, .forbidden),
        ReceiptRule(.expirationDate, .facta, .forbidden, in: [.unitedStates], on: .customer),
    ]
}
