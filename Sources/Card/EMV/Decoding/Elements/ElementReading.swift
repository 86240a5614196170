import SmartCard

/// The rule for describing the value of a data element.
enum ElementReading: Sendable {
    /// Named bits.
    case bits(BitTable)
    // Card data
    case accountNumber, trackOne, trackTwo, holderName, bankAccount
    /// Never shown; the text is the reason.
    case hidden(String)
    // Numbers and codes
    case amount, binaryAmount, currency, currencies, country, date, time, counter, serviceCode
    case transactionType, terminalType, entryMode, accountType, responseCode
    // Texts and names
    case accountReference, text, preferredName, applicationName, kernelIdentifier, languages
    // Lists
    case tagsAndLengths, tags, fileLocator, shortFile, logEntry, verificationList, verificationResults
    // Issuer data
    case issuerApplicationData, issuerAuthenticationData, scriptCommand, scriptResults
    // Data that differs by payment system
    case transactionQualifiers, cardQualifiers, formFactor, mobileVerificationResults
    case identityNumber, identityDocument
    // Kernel 8
    case terminalKernel, restartIndicator, interfaceRequest, errorIndication, messageIdentifiers
    case deviceVerificationResults
    /// AIP and AFL, or the response data of GENERATE AC, without tags.
    case responseFormat1
    /// Arbitrary content.
    case free

    /// Returns the rule for the value of `tag` on a card of `brand`; nil if its format is enough.
    static func of(_ tag: BERTag, brand: CardBrand?) -> ElementReading? {
        guard let brand, DataElement.belongsToPaymentSystem(tag), PaymentSystemElements.tables[brand] != nil else {
            return table[tag] ?? kernel8[tag]
        }
        return systems[brand]?[tag] ?? (common.contains(tag) ? table[tag] : .free)
    }

    /// Returns whether the value cannot contain an account number, because its format leaves no room for one:
    /// cryptograms, keys, application names, lists.
    static func isRegular(_ tag: BERTag, brand: CardBrand?) -> Bool {
        switch of(tag, brand: brand) {
        case .bits, .applicationName, .tagsAndLengths, .tags, .fileLocator, .verificationList: true
        default: regular.contains(tag) || kernel8Regular.contains(tag)
        }
    }

    /// Tags of payment systems whose rules choose by brand and length themselves.
    private static let common: Set<BERTag> = [0x9F5B, 0x9F66, 0x9F6C, 0x9F6E]

    /// Rules for the tags of a payment system (``PaymentSystemElements``). A missing tag has arbitrary content.
    private static let systems: [CardBrand: [BERTag: ElementReading]] = [
        .visa: visa, .usCommonDebit: visa,
        .unionPay: limits.merging(
            [
                0x9F61: .identityNumber, 0x9F62: .identityDocument, 0x9F74: .text, 0x9F75: .amount, 0x9F76: .currency,
                0x9F77: .amount, 0x9F78: .amount, 0x9F79: .amount, 0x9F7A: .counter, 0x9F7B: .amount,
            ], uniquingKeysWith: { first, _ in first }),
        .mastercard: [
            0x9F50: .amount, 0x9F51: .tagsAndLengths, 0x9F53: .text, 0x9F64: .counter, 0x9F67: .counter,
            0x9F69: .tagsAndLengths, 0x9F6B: .trackTwo,
        ],
        .americanExpress: [0x9F71: .mobileVerificationResults],
        .interac: [0x9F5D: .amount, 0x9F5F: .amount],
    ]

    private static let visa = limits.merging(
        [0x9F5E: .counter, 0x9F77: .amount, 0x9F78: .amount, 0x9F79: .amount, 0x9F7A: .counter, 0x9F7B: .amount],
        uniquingKeysWith: { first, _ in first })

    private static let limits: [BERTag: ElementReading] = [
        0x9F51: .currency, 0x9F53: .counter, 0x9F54: .amount, 0x9F57: .country, 0x9F58: .counter, 0x9F59: .counter,
        0x9F5C: .amount, 0x9F5D: .amount, 0x9F6B: .amount, 0x9F6D: .amount, 0x9F72: .counter,
    ]

    private static let regular: Set<BERTag> = [
        0x90, 0x92, 0x93, 0x98, 0x9F16, 0x9F26, 0x9F2F, 0x9F37, 0x9F48, 0x9F4B, 0x9F4C, 0xDF8301, 0xDF8302,
    ]

    private static let table: [BERTag: ElementReading] = [
        0x42: .text, 0x4F: .applicationName, 0x50: .text, 0x56: .trackOne, 0x57: .trackTwo, 0x5A: .accountNumber,
        0x5F20: .holderName, 0x5F24: .date, 0x5F25: .date, 0x5F28: .country, 0x5F2A: .currency, 0x5F2D: .languages,
        0x5F30: .serviceCode, 0x5F50: .text, 0x5F53: .bankAccount, 0x5F54: .text, 0x5F57: .accountType,
        0x80: .responseFormat1, 0x81: .binaryAmount, 0x82: .bits(.applicationInterchangeProfile), 0x83: .free,
        0x84: .applicationName, 0x86: .scriptCommand, 0x87: .bits(.priorityIndicator), 0x88: .shortFile,
        0x8A: .responseCode, 0x8C: .tagsAndLengths, 0x8D: .tagsAndLengths, 0x8E: .verificationList, 0x8F: .counter,
        0x91: .issuerAuthenticationData, 0x94: .fileLocator, 0x95: .bits(.terminalVerificationResults),
        0x97: .tagsAndLengths, 0x99: .hidden("PIN data"), 0x9A: .date, 0x9B: .bits(.transactionStatusInformation),
        0x9C: .transactionType, 0x9D: .applicationName, 0x9F02: .amount, 0x9F03: .amount, 0x9F04: .binaryAmount,
        0x9F05: .free, 0x9F06: .applicationName, 0x9F07: .bits(.applicationUsageControl), 0x9F08: .counter,
        0x9F09: .counter, 0x9F0A: .free, 0x9F0B: .holderName, 0x9F0D: .bits(.terminalVerificationResults),
        0x9F0E: .bits(.terminalVerificationResults), 0x9F0F: .bits(.terminalVerificationResults),
        0x9F10: .issuerApplicationData, 0x9F12: .preferredName, 0x9F13: .counter, 0x9F14: .counter,
        0x9F17: .counter, 0x9F1A: .country, 0x9F1B: .binaryAmount, 0x9F1D: .bits(.terminalRiskManagementData),
        0x9F1F: .hidden("track data"), 0x9F20: .hidden("track data"), 0x9F21: .time, 0x9F22: .counter,
        0x9F23: .counter, 0x9F24: .accountReference, 0x9F27: .bits(.cryptogramInformation), 0x9F29: .free,
        0x9F2A: .kernelIdentifier, 0x9F2D: .hidden("the PAN can be recovered from the certificate"),
        0x9F33: .bits(.terminalCapabilities), 0x9F34: .verificationResults, 0x9F35: .terminalType,
        0x9F36: .counter, 0x9F38: .tagsAndLengths, 0x9F39: .entryMode, 0x9F3A: .binaryAmount, 0x9F3B: .currencies,
        0x9F3C: .currency, 0x9F40: .bits(.additionalTerminalCapabilities), 0x9F42: .currency,
        0x9F46: .hidden("the PAN can be recovered from the certificate"), 0x9F49: .tagsAndLengths, 0x9F4A: .tags,
        0x9F4D: .logEntry, 0x9F4E: .text, 0x9F4F: .tagsAndLengths, 0x9F50: .free, 0x9F51: .free, 0x9F52: .free,
        0x9F53: .free, 0x9F54: .free, 0x9F56: .free, 0x9F57: .country, 0x9F5A: .free, 0x9F5B: .scriptResults,
        0x9F5C: .free,
        0x9F5D: .free, 0x9F5E: .free, 0x9F61: .identityNumber, 0x9F62: .free, 0x9F63: .free,
        0x9F66: .transactionQualifiers, 0x9F69: .free,
        0x9F6B: .trackTwo, 0x9F6C: .cardQualifiers, 0x9F6E: .formFactor, 0x9F70: .free, 0x9F71: .free, 0x9F72: .free,
        0x9F73: .free, 0x9F74: .free, 0x9F75: .free, 0x9F76: .free, 0x9F77: .free, 0x9F78: .free, 0x9F79: .free,
        0x9F7B: .amount, 0x9F7C: .free, 0x9F7D: .free, 0x9F7F: .free, 0xDF63: .free, 0xDF8104: .amount,
        0xDF8105: .amount, 0xDF8106: .tags, 0xDF8107: .free, 0xDF810D: .free, 0xDF8111: .free, 0xDF8112: .tags,
        0xDF8113: .free, 0xDF8116: .free, 0xDF8117: .bits(.cardDataInputCapability),
        0xDF8118: .bits(.verificationCapability), 0xDF8119: .bits(.verificationCapability),
        0xDF811A: .tagsAndLengths, 0xDF811B: .bits(.kernelConfiguration), 0xDF811C: .counter, 0xDF811D: .counter,
        0xDF811F: .bits(.securityCapability), 0xDF8120: .bits(.terminalVerificationResults),
        0xDF8121: .bits(.terminalVerificationResults), 0xDF8122: .bits(.terminalVerificationResults),
        0xDF8123: .amount, 0xDF8124: .amount, 0xDF8125: .amount, 0xDF8126: .amount,
        0xDF812A: .hidden("track data"), 0xDF812B: .hidden("track data"), 0xDF8131: .free, 0x41: .free, 0x45: .free,
        0x46: .free, 0x4D: .tagsAndLengths,
    ]
}
