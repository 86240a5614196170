public import SmartCard

/// The tags that kernel 8 adds to those of ``EMV/EMVTag`` (Book C-8 annex A). ``EMV/Kernel8DataObject`` describes
/// them.
public enum Kernel8Tag {
    // From the card.
    public static let cardQualifier: BERTag = 0x9F2C
    public static let verificationDecision: BERTag = 0x9F_8102
    public static let cardKeyData: BERTag = 0x9F_8103
    public static let cardVerificationResults: BERTag = 0x9F_8104
    public static let edaMAC: BERTag = 0x9F_8105
    public static let authenticatedApplicationData: BERTag = 0x9F_8106
    public static let iadMACOffset: BERTag = 0x9F_8107
    public static let restartIndicator: BERTag = 0x9F_8108
    public static let extendedTagList: BERTag = 0x9F_810A
    public static let cardKeyForRSA: BERTag = 0x9F_810B
    public static let cardCapabilities: BERTag = 0x9F_810D
    public static let encipheredRecord: BERTag = 0xDA

    // Between kernel and terminal.
    public static let dataToSend: BERTag = 0xBF_8101
    public static let dataRecord: BERTag = 0xBF_8102
    public static let discretionaryData: BERTag = 0xBF_8103
    public static let envelopesToWrite: BERTag = 0xBF_8104
    public static let dataNeeded: BERTag = 0x9F_8201
    public static let proceedToFirstWrite: BERTag = 0x9F_8202
    public static let tagsToRead: BERTag = 0x9F_8203
    public static let errorIndication: BERTag = 0x9F_8204
    public static let userInterfaceRequest: BERTag = 0x9F_8205
    public static let outcomeParameters: BERTag = 0x9F_8210
    public static let secondUserInterfaceRequest: BERTag = 0x9F_8219

    // Of the kernel's configuration, and of what it makes.
    /// Terminal risk management data.
    public static let riskManagementData: BERTag = 0x9F1D
    public static let kernelKeyData: BERTag = 0x9E
    public static let kernelQualifier: BERTag = 0x9F2B
    public static let iadMAC: BERTag = 0x9F_8109
    public static let relayResistanceExcess: BERTag = 0x9F_810C
    public static let cardDataInputCapability: BERTag = 0x9F_8206
    public static let cvmCapabilityRequired: BERTag = 0x9F_8207
    public static let cvmCapabilityNotRequired: BERTag = 0x9F_8208
    public static let kernelConfiguration: BERTag = 0x9F_8209
    public static let securityCapability: BERTag = 0x9F_820A
    public static let actionCodeDenial: BERTag = 0x9F_820B
    public static let actionCodeOnline: BERTag = 0x9F_820C
    public static let floorLimit: BERTag = 0x9F_820D
    public static let cvmRequiredLimit: BERTag = 0x9F_820E
    public static let timeout: BERTag = 0x9F_820F
    public static let messageHoldTime: BERTag = 0x9F_8211
    public static let fieldOffHoldTime: BERTag = 0x9F_8212
    public static let minimumGrace: BERTag = 0x9F_8213
    public static let maximumGrace: BERTag = 0x9F_8214
    public static let expectedCommandTime: BERTag = 0x9F_8215
    public static let expectedAnswerTime: BERTag = 0x9F_8216
    public static let accuracyThreshold: BERTag = 0x9F_8217
    public static let mismatchThreshold: BERTag = 0x9F_8218
    public static let reservedResultsMask: BERTag = 0x9F_821A
    public static let writeDataStatus: BERTag = 0x9F_821B
    public static let readDataStatus: BERTag = 0x9F_821C
    public static let messagesOnRestart: BERTag = 0x9F_821D
    public static let defaultIADMACOffset: BERTag = 0x9F_821E
    public static let discretionaryTagList: BERTag = 0x9F_821F
    public static let defaultCDOL1: BERTag = 0x9F_8220
    public static let tagMappingList: BERTag = 0x9F_8221
}
