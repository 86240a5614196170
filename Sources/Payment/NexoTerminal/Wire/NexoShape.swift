import Text

/// The form of a value in a message: which members an object may have, and which it must have. A message with a member
/// that the protocol does not have, or with a value of another kind, is refused as a whole.
indirect enum NexoShape: Sendable {
    case text
    case number
    case flag
    /// One of several words.
    case word([String])
    /// Any value, for data of others that the terminal passes over.
    case anything
    case list(NexoShape)
    case object([String: Member])

    struct Member: Sendable {
        let shape: NexoShape
        let isRequired: Bool
    }

    /// An object. A name with `*` at its end must be there.
    static func fields(_ fields: KeyValuePairs<String, NexoShape>) -> NexoShape {
        var members: [String: Member] = [:]
        for (name, shape) in fields {
            let isRequired = name.hasSuffix("*")
            members[isRequired ? String(name.dropLast()) : name] = Member(shape: shape, isRequired: isRequired)
        }
        return .object(members)
    }

    /// Checks a value.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - place: where it is, such as `SaleToPOIRequest.PaymentRequest`.
    /// - Throws: `MessageFormat` with the place and the field.
    func check(_ value: JSONValue, at place: String) throws(NexoFailure) {
        guard case .object(let members) = self else { return try check(value, place, "") }
        guard case .object(let found) = value else {
            let (parent, name) = Self.split(place)
            throw .format(parent, name, "Not an object")
        }
        for member in found {
            guard let known = members[member.name] else {
                throw .format(place, String(member.name.prefix(64)), "Not expected")
            }
            try known.shape.check(member.value, place, member.name)
        }
        // The first name in the alphabet, so that the same message always gets the same answer.
        let missing = members.filter { name, member in member.isRequired && !found.contains { $0.name == name } }
        if let name = missing.keys.min() { throw .format(place, name, "Missing") }
    }

    private func check(_ value: JSONValue, _ place: String, _ name: String) throws(NexoFailure) {
        switch (self, value) {
        case (.text, .text), (.number, .number), (.flag, .bool), (.anything, _): break
        case (.word(let words), .text(let text)):
            guard words.contains(text) else {
                throw .format(place, name, "Not one of " + words.joined(separator: ", "))
            }
        case (.list(let shape), .list(let elements)):
            for element in elements {
                if case .object = shape {
                    try shape.check(element, at: place + "." + name)
                } else {
                    try shape.check(element, place, name)
                }
            }
        case (.object, _): try check(value, at: place + "." + name)
        case (.text, _), (.word, _): throw .format(place, name, "Not a text")
        case (.number, _): throw .format(place, name, "Not a number")
        case (.flag, _): throw .format(place, name, "Not true or false")
        case (.list, _): throw .format(place, name, "Not a list")
        }
    }

    private static func split(_ place: String) -> (String, String) {
        let name = place.split(separator: ".").last.map(String.init) ?? place
        return (String(place.dropLast(name.count + 1)), name)
    }
}

// The header and what several messages have.
extension NexoShape {
    static let header = fields([
        "ProtocolVersion*": .text, "MessageClass*": .text, "MessageCategory*": .text, "MessageType*": .text,
        "ServiceID*": .text, "DeviceID": .text, "SaleID*": .text, "POIID*": .text,
    ])
    private static let transactionID = fields(["TransactionID*": .text, "TimeStamp*": .text])
    private static let original = fields([
        "POITransactionID*": transactionID, "POIID": .text, "SaleID": .text, "ReuseCardDataFlag": .flag,
        "ApprovalCode": .text, "CustomerLanguage": .text, "AcquirerID": .text, "AmountValue": .number,
        "HostTransactionID": .anything, "LastTransactionFlag": .flag,
    ])
    private static let saleData = fields([
        "SaleTransactionID*": transactionID, "SaleReferenceID": .text, "OperatorID": .text, "OperatorLanguage": .text,
        "ShiftNumber": .text, "TokenRequestedType": .text, "CustomerOrderID": .text, "CustomerOrderReq": .anything,
        "SaleToPOIData": .anything, "SaleToAcquirerData": .anything, "SaleToIssuerData": .anything,
        "SaleTerminalData": .anything, "SponsoredMerchant": .anything,
    ])
    private static let reference = fields([
        "MessageCategory": .text, "SaleID": .text, "ServiceID*": .text, "DeviceID": .text, "POIID": .text,
    ])
    private static let conditions = fields([
        "AllowedPaymentBrand": .list(.text), "AcquirerID": .anything, "DebitPreferredFlag": .flag,
        "AllowedLoyaltyBrand": .list(.text), "LoyaltyHandling": .text, "CustomerLanguage": .text,
        "ForceOnlineFlag": .flag, "ForceEntryMode": .list(.text), "MerchantCategoryCode": .text,
    ])
    private static let content = fields([
        "OutputFormat*": .text, "PredefinedContent": .anything,
        "OutputText": .list(
            .fields([
                "Text*": .text, "CharacterSet": .number, "Font": .text, "StartRow": .number, "StartColumn": .number,
                "Color": .text, "CharacterWidth": .text, "CharacterHeight": .text, "CharacterStyle": .text,
                "Alignment": .text, "EndOfLineFlag": .flag,
            ])), "OutputXHTML": .anything, "OutputBarcode": .anything,
    ])
    private static let display = fields([
        "Device*": .text, "InfoQualify*": .text, "OutputContent*": content, "ResponseRequiredFlag": .flag,
        "MinimumDisplayTime": .number, "MenuEntry": .anything, "OutputSignature": .anything,
    ])
    private static let software = fields([
        "ManufacturerID": .text, "ProviderIdentification": .text, "ApplicationName*": .text, "SoftwareVersion*": .text,
        "CertificationCode*": .text,
    ])
}

// The requests.
extension NexoShape {
    /// The form of a category's request; nil for those that are not answered here.
    static func request(_ category: NexoCategory) -> NexoShape? { requests[category] }

    private static let requests: [NexoCategory: NexoShape] = [
        .payment: payment, .reversal: reversal, .cardAcquisition: cardAcquisition,
        .transactionStatus: .fields([
            "MessageReference": reference, "ReceiptReprintFlag": .flag,
            "DocumentQualifier": .list(.word(["CashierReceipt", "CustomerReceipt"])),
        ]),
        .abort: .fields(["MessageReference*": reference, "AbortReason*": .text, "DisplayOutput": .anything]),
        .diagnosis: .fields(["HostDiagnosisFlag": .flag, "POIID": .text, "AcquirerID": .anything]),
        .login: .fields([
            "DateTime*": .text, "SaleSoftware*": software, "SaleTerminalData": .anything, "OperatorLanguage*": .text,
            "TrainingModeFlag": .flag, "OperatorID": .text, "ShiftNumber": .text, "TokenRequestedType": .text,
            "CustomerOrderReq": .anything, "POISerialNumber": .text, "SaleToAcquirerData": .anything,
        ]),
        .logout: .fields(["MaintenanceAllowed": .flag]),
        .display: .fields(["DisplayOutput*": .list(display)]), .input: input,
        .print: .fields([
            "PrintOutput*": .fields([
                "DocumentQualifier*": .word([
                    "CashierReceipt", "CustomerReceipt", "Document", "Journal", "SaleReceipt", "Voucher",
                ]), "ResponseMode*": .word(["PrintEnd", "Immediate", "NotRequired", "SoundEnd"]),
                "OutputContent*": content, "IntegratedPrintFlag": .flag, "RequiredSignatureFlag": .flag,
            ])
        ]),
        .enableService: .fields([
            "TransactionAction*": .word(["AbortTransaction", "StartTransaction"]), "ServicesEnabled": .list(.text),
            "DisplayOutput": .anything,
        ]),
        .getTotals: .fields(["TotalDetails": .list(.text), "TotalFilter": .anything]),
        .reconciliation: .fields([
            "ReconciliationType*": .word([
                "SaleReconciliation", "AcquirerReconciliation", "AcquirerSynchronisation", "PreviousReconciliation",
            ]), "AcquirerID": .anything, "POIReconciliationID": .text,
        ]),
    ]

    private static let payment = fields([
        "SaleData*": saleData,
        "PaymentTransaction*": .fields([
            "AmountsReq*": .fields([
                "Currency*": .text, "RequestedAmount": .number, "CashBackAmount": .number, "TipAmount": .number,
                "PaidAmount": .number, "MinimumAmountToDeliver": .number, "MaximumCashBackAmount": .number,
                "MinimumSplitAmount": .number,
            ]), "OriginalPOITransaction": original, "TransactionConditions": conditions, "SaleItem": .anything,
        ]),
        "PaymentData": .fields([
            "PaymentType": .text, "SplitPaymentFlag": .flag, "CardAcquisitionReference": transactionID,
            "RequestedValidityDate": .text, "Instalment": .anything, "CustomerOrder": .anything,
            "PaymentInstrumentData": .anything,
        ]), "LoyaltyData": .anything,
    ])

    private static let reversal = fields([
        "SaleData": saleData, "OriginalPOITransaction*": original,
        "ReversalReason*": .word(["CustCancel", "MerchantCancel", "Malfunction", "Unable2Compl"]),
        "ReversedAmount": .number, "CustomerOrder": .anything,
    ])

    private static let cardAcquisition = fields([
        "SaleData*": saleData,
        "CardAcquisitionTransaction*": .fields([
            "AllowedPaymentBrand": .list(.text), "AllowedLoyaltyBrand": .list(.text), "LoyaltyHandling": .text,
            "CustomerLanguage": .text, "ForceCustomerSelectionFlag": .flag, "ForceEntryMode": .list(.text),
            "TotalAmount": .number, "PaymentType": .text, "CashBackFlag": .flag,
        ]),
    ])

    private static let input = fields([
        "DisplayOutput": display,
        "InputData*": .fields([
            "Device*": .text, "InfoQualify*": .text,
            "InputCommand*": .word([
                "GetAnyKey", "GetConfirmation", "SiteManager", "TextString", "DigitString", "DecimalString",
                "GetFunctionKey", "GetMenuEntry", "Password",
            ]), "NotifyCardInputFlag": .flag, "MaxInputTime": .number, "ImmediateResponseFlag": .flag,
            "MinLength": .number, "MaxLength": .number, "MaxDecimalLength": .number,
            "WaitUserValidationFlag": .flag, "DefaultInputString": .text, "StringMask": .text,
            "FromRightToLeftFlag": .flag, "MaskCharactersFlag": .flag, "BeepKeyFlag": .flag,
            "GlobalCorrectionFlag": .flag, "DisableCancelFlag": .flag, "DisableCorrectFlag": .flag,
            "DisableValidFlag": .flag, "MenuBackFlag": .flag,
        ]),
    ])
}
