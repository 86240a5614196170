public import SmartCard

/// The tags that the kernel uses. ``DataElement`` has all known data elements.
public enum EMVTag {
    // Templates
    public static let applicationTemplate: BERTag = 0x61
    public static let fileControlInformation: BERTag = 0x6F
    public static let recordTemplate: BERTag = 0x70
    public static let responseFormat2: BERTag = 0x77
    public static let responseFormat1: BERTag = 0x80
    public static let fciProprietary: BERTag = 0xA5
    public static let issuerScriptCommand: BERTag = 0x86
    public static let issuerScriptIdentifier: BERTag = 0x9F18

    // Selection
    public static let adfName: BERTag = 0x4F
    public static let applicationLabel: BERTag = 0x50
    public static let dfName: BERTag = 0x84
    public static let priorityIndicator: BERTag = 0x87
    public static let shortFileIdentifier: BERTag = 0x88
    public static let issuerCodeTableIndex: BERTag = 0x9F11
    public static let preferredName: BERTag = 0x9F12
    public static let pdol: BERTag = 0x9F38
    public static let languagePreference: BERTag = 0x5F2D

    // The card's application
    public static let trackTwo: BERTag = 0x57
    public static let pan: BERTag = 0x5A
    public static let expirationDate: BERTag = 0x5F24
    public static let effectiveDate: BERTag = 0x5F25
    public static let issuerCountry: BERTag = 0x5F28
    public static let panSequenceNumber: BERTag = 0x5F34
    public static let interchangeProfile: BERTag = 0x82
    public static let cdol1: BERTag = 0x8C
    public static let cdol2: BERTag = 0x8D
    public static let cvmList: BERTag = 0x8E
    public static let certificationAuthorityIndex: BERTag = 0x8F
    public static let issuerCertificate: BERTag = 0x90
    public static let issuerKeyRemainder: BERTag = 0x92
    public static let signedStaticData: BERTag = 0x93
    public static let fileLocator: BERTag = 0x94
    public static let tdol: BERTag = 0x97
    public static let usageControl: BERTag = 0x9F07
    public static let cardVersion: BERTag = 0x9F08
    public static let issuerActionDefault: BERTag = 0x9F0D
    public static let issuerActionDenial: BERTag = 0x9F0E
    public static let issuerActionOnline: BERTag = 0x9F0F
    public static let issuerApplicationData: BERTag = 0x9F10
    public static let lastOnlineCounter: BERTag = 0x9F13
    public static let lowerOfflineLimit: BERTag = 0x9F14
    public static let pinTryCounter: BERTag = 0x9F17
    public static let upperOfflineLimit: BERTag = 0x9F23
    public static let applicationCryptogram: BERTag = 0x9F26
    public static let cryptogramInformation: BERTag = 0x9F27
    public static let pinCertificate: BERTag = 0x9F2D
    public static let pinKeyExponent: BERTag = 0x9F2E
    public static let pinKeyRemainder: BERTag = 0x9F2F
    public static let issuerKeyExponent: BERTag = 0x9F32
    public static let transactionCounter: BERTag = 0x9F36
    public static let applicationCurrency: BERTag = 0x9F42
    public static let dataAuthenticationCode: BERTag = 0x9F45
    public static let iccCertificate: BERTag = 0x9F46
    public static let iccKeyExponent: BERTag = 0x9F47
    public static let iccKeyRemainder: BERTag = 0x9F48
    public static let ddol: BERTag = 0x9F49
    public static let staticDataTagList: BERTag = 0x9F4A
    public static let signedDynamicData: BERTag = 0x9F4B
    public static let dynamicNumber: BERTag = 0x9F4C

    // Terminal and issuer
    public static let currency: BERTag = 0x5F2A
    public static let currencyExponent: BERTag = 0x5F36
    public static let amountBinary: BERTag = 0x81
    public static let responseCode: BERTag = 0x8A
    public static let issuerAuthenticationData: BERTag = 0x91
    public static let verificationResults: BERTag = 0x95
    public static let certificateHash: BERTag = 0x98
    public static let date: BERTag = 0x9A
    public static let statusInformation: BERTag = 0x9B
    public static let accountType: BERTag = 0x5F57
    public static let transactionType: BERTag = 0x9C
    public static let acquirer: BERTag = 0x9F01
    public static let amount: BERTag = 0x9F02
    public static let amountOther: BERTag = 0x9F03
    public static let amountOtherBinary: BERTag = 0x9F04
    public static let terminalAID: BERTag = 0x9F06
    public static let terminalVersion: BERTag = 0x9F09
    public static let merchantCategory: BERTag = 0x9F15
    public static let merchantIdentifier: BERTag = 0x9F16
    public static let terminalCountry: BERTag = 0x9F1A
    public static let floorLimit: BERTag = 0x9F1B
    public static let terminalIdentification: BERTag = 0x9F1C
    public static let interfaceDeviceSerial: BERTag = 0x9F1E
    public static let time: BERTag = 0x9F21
    public static let terminalAuthorityIndex: BERTag = 0x9F22
    public static let capabilities: BERTag = 0x9F33
    public static let cvmResults: BERTag = 0x9F34
    public static let terminalType: BERTag = 0x9F35
    public static let unpredictableNumber: BERTag = 0x9F37
    public static let entryMode: BERTag = 0x9F39
    public static let additionalCapabilities: BERTag = 0x9F40
    public static let sequenceCounter: BERTag = 0x9F41
    public static let merchantNameAndLocation: BERTag = 0x9F4E
    public static let issuerScriptResults: BERTag = 0x9F5B

    // Contactless selection
    public static let terminalKernelIdentifier: BERTag = 0x96
    public static let extendedSelection: BERTag = 0x9F29
    public static let kernelIdentifier: BERTag = 0x9F2A
    public static let terminalTransactionQualifiers: BERTag = 0x9F66
    public static let issuerDiscretionaryData: BERTag = 0xBF0C
}
