import SmartCard

extension ElementReading {
    /// Rules for what only kernel 8 has (``Kernel8DataObject``).
    static let kernel8: [BERTag: ElementReading] = [
        0x96: .terminalKernel, 0x9F2B: .bits(.kernelQualifier), 0x9F2C: .bits(.cardQualifier),
        0x9F_8102: .bits(.verificationDecision), 0x9F_8104: .bits(.kernel8VerificationResults), 0x9F_8106: .free,
        0x9F_8107: .counter, 0x9F_8108: .restartIndicator, 0x9F_810A: .tags, 0x9F_810C: .counter, 0x9F_810D: .free,
        0x9F_8111: .free, 0x9F_8112: .free, 0x9F_8113: .free, 0x9F_8114: .free, 0x9F_8115: .free, 0x9F_8116: .free,
        0x9F_8117: .free, 0x9F_8118: .free, 0x9F_8119: .free, 0x9F_811A: .free, 0x9F_8201: .tags, 0x9F_8203: .tags,
        0x9F_8204: .errorIndication, 0x9F_8205: .interfaceRequest, 0x9F_8206: .bits(.cardDataInputCapability),
        0x9F_8207: .bits(.kernel8VerificationCapability), 0x9F_8208: .bits(.kernel8VerificationCapability),
        0x9F_8209: .bits(.kernel8Configuration), 0x9F_820A: .bits(.kernel8SecurityCapability),
        0x9F_820B: .bits(.kernel8VerificationResults), 0x9F_820C: .bits(.kernel8VerificationResults),
        0x9F_820D: .amount, 0x9F_820E: .amount, 0x9F_820F: .counter, 0x9F_8210: .bits(.outcomeParameterSet),
        0x9F_8212: .counter, 0x9F_8213: .counter, 0x9F_8214: .counter, 0x9F_8215: .counter, 0x9F_8216: .counter,
        0x9F_8217: .counter, 0x9F_8218: .counter, 0x9F_8219: .interfaceRequest,
        0x9F_821A: .bits(.kernel8VerificationResults), 0x9F_821B: .bits(.dataStatus), 0x9F_821C: .bits(.dataStatus),
        0x9F_821D: .messageIdentifiers, 0x9F_821E: .counter, 0x9F_821F: .tags, 0x9F_8220: .tagsAndLengths,
        0x9F_8221: .tags,
    ]

    /// Keys, MACs, and enciphered records of kernel 8, whose length and random digits are no account number.
    static let kernel8Regular: Set<BERTag> = [
        0x9E, 0xDA, 0x9F_8103, 0x9F_8105, 0x9F_8109, 0x9F_810B,
    ]
}
