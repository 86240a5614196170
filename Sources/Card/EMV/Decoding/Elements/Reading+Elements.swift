import SmartCard
import Text

extension Reading {
    /// Decodes a data element. `start` is the offset of its tag, or of its value if there is no tag.
    mutating func element(
        _ tag: BERTag, start: Int, value range: Range<Int>, depth: Int = EMVDecoder.maximumDepth
    ) -> DecodedValue {
        let element = DataElement.described(tag, brand: context.brand)
        var value = DecodedValue(
            tag: tag, name: element?.name ?? Self.unknownName(tag), format: element?.format, source: element?.source,
            offset: start, length: range.count)
        if let element, !element.lengths.contains(range.count) { value.problems.append(Self.wrongLength(element)) }
        guard !tag.isConstructed else {
            value.children = objects(in: range, depth: depth - 1)
            return value
        }
        value.hex = bytes[range].hexadecimal
        if let element, value.problems.isEmpty, !element.hasValidDigits(bytes[range]) {
            value.problems.append("not decimal digits, which format \(element.format) asks for")
        }
        let rule = kernel8Rule(tag, range)
        let isRecognized = describe(
            &value, range, as: rule ?? ElementReading.of(tag, brand: context.brand),
            isReadable: value.problems.isEmpty && !range.isEmpty)
        if rule == nil, let meaning = otherMeaning(tag, range) { value.meaning = meaning }
        // The digits of the whole value would reveal a masked part.
        if value.children.contains(where: \.isMasked) { (value.hex, value.isMasked) = (nil, true) }
        let isRegular = ElementReading.isRegular(tag, brand: context.brand) && value.problems.isEmpty
        if !isRegular, !isRecognized, value.hex != nil, mayHoldAccountNumber(range, element?.format) {
            value.withhold("it may hold an account number")
            (value.flags, value.children) = ([], [])
        }
        return value
    }

    private func mayHoldAccountNumber(_ range: Range<Int>, _ format: DataElement.Format?) -> Bool {
        let isText = format == .a || format == .an || format == .ans
        return isText && printable(bytes[range]) != nil
            ? CardDataMask.mayHoldAccountNumber(inText: bytes[range]) : CardDataMask.mayHoldAccountNumber(bytes[range])
    }

    private static func wrongLength(_ element: DataElement) -> String {
        let (least, most) = (element.lengths.lowerBound, element.lengths.upperBound)
        return least == most ? "the length is \(least) by the rules" : "the length is \(least) to \(most) by the rules"
    }

    /// Describes a value.
    ///
    /// - Returns: whether the value has a known layout, whose free parts are withheld by themselves. Digits that look
    ///   like an account number are then none, such as those of counters and cryptograms.
    private mutating func describe(
        _ value: inout DecodedValue, _ range: Range<Int>, as reading: ElementReading?, isReadable: Bool
    ) -> Bool {
        // Card data is masked even if its length is wrong.
        if maskCardData(&value, range, as: reading) { return true }
        guard isReadable else { return false }
        switch reading {
        case .issuerApplicationData: return issuerApplicationData(&value, range)
        case .scriptResults: return scriptResults(&value, range)
        case .responseFormat1: return responseFormat1(&value, range)
        case .formFactor: return formFactor(&value, range)
        case .accountReference: return accountReference(&value, range)
        case .bits(let table): value.flags = table.flags(of: bytes[range])
        case .tagsAndLengths: list(&value, range)
        case .tags: tags(&value, range)
        case .fileLocator: fileLocator(&value, range)
        case .verificationList: verificationList(&value, range)
        case .verificationResults: verificationResults(&value, range)
        case .deviceVerificationResults: deviceVerificationResults(&value, range)
        case .terminalKernel: terminalKernel(&value, range)
        case .restartIndicator: restartIndicator(&value, range)
        case .interfaceRequest: interfaceRequest(&value, range)
        case .errorIndication: errorIndication(&value, range)
        case .messageIdentifiers: messageIdentifiers(&value, range)
        case .issuerAuthenticationData: return issuerAuthenticationData(&value, range)
        case .scriptCommand: scriptCommand(&value, range)
        case .transactionQualifiers: transactionQualifiers(&value, range)
        case .cardQualifiers: cardQualifiers(&value, range)
        case .mobileVerificationResults: mobileVerificationResults(&value, range)
        case .identityDocument: value.meaning = Self.identityDocuments[bytes[range.lowerBound]] ?? "other document"
        case .free: free(&value, range)
        default: value.meaning = meaning(of: range, as: reading, value.format, &value.problems)
        }
        return false
    }

    /// Masks a value that is card data.
    ///
    /// - Returns: whether it is.
    private func maskCardData(
        _ value: inout DecodedValue, _ range: Range<Int>, as reading: ElementReading?
    ) -> Bool {
        switch reading {
        case .accountNumber: accountNumber(&value, range)
        case .trackOne: trackOne(&value, range)
        case .trackTwo: trackTwo(&value, range)
        case .holderName: mask(&value, CardDataMask.name(bytes[range]))
        case .bankAccount: bankAccount(&value, range)
        case .hidden(let reason): value.withhold(reason)
        // Mastercard's CVC3 has two bytes.
        case .identityNumber where range.count > 2: value.withhold("number of an identity document")
        default: return false
        }
        return true
    }

    /// Returns the meaning of a simple value.
    private func meaning(
        of range: Range<Int>, as reading: ElementReading?, _ format: DataElement.Format?, _ problems: inout [String]
    ) -> String? {
        let value = bytes[range]
        switch reading {
        case .amount: return amount(decimal: value, in: context.transactionCurrency)
        case .binaryAmount: return amount(binary: value, in: context.transactionCurrency)
        case .currency: return currency(value)
        case .currencies: return currencies(value)
        case .country: return country(value)
        case .date: return date(value, &problems)
        case .time: return time(value, &problems)
        case .counter: return counter(value)
        case .serviceCode: return ServiceCodeWords.words(digits(value).suffix(3))
        case .transactionType: return Self.transactionTypes[value.first ?? 0] ?? "other transaction type"
        case .terminalType: return terminalType(value, &problems)
        case .entryMode: return Self.entryModes[value.first ?? 0] ?? "other entry mode"
        case .accountType: return Self.accountTypes[value.first ?? 0] ?? "other account type"
        case .responseCode: return responseCode(value)
        case .preferredName: return (context.codeTable ?? .latin1).decode(Array(value)).map(quoted)
        case .applicationName: return KnownApplication.words(for: Array(value))
        case .kernelIdentifier: return kernelIdentifier(value)
        case .languages: return languages(value)
        case .shortFile: return counter(value).map { "file \($0)" }
        case .logEntry: return logEntry(value)
        default: return text(of: value, format)
        }
    }

    /// Returns the text of a value from its format.
    private func text(of value: ArraySlice<UInt8>, _ format: DataElement.Format?) -> String? {
        switch format {
        case .n, .cn: digits(value)
        case .a, .an, .ans: printable(value).map(quoted)
        case .b, nil: nil
        }
    }

    func free(_ value: inout DecodedValue, _ range: Range<Int>) {
        value.meaning = printable(bytes[range]).map(quoted)
    }

    /// Returns the text if every byte is printable ASCII. Other bytes must not reach a terminal.
    func printable(_ value: some Collection<UInt8>) -> String? {
        guard !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    func quoted(_ text: String) -> String { "\"" + text + "\"" }

    /// Returns the half bytes as digits, without F padding.
    func digits(_ value: ArraySlice<UInt8>) -> String {
        let text = value.hexadecimal
        return String(text.reversed().drop { $0 == "F" }.reversed())
    }
}
