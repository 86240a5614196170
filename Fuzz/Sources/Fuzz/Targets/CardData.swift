import SmartCard

@testable internal import EMV

extension FuzzTarget {
    /// Parts of card responses and issuer scripts.
    static let cardData: [FuzzTarget] = [
        dataObjects, decoding, dataObjectLists, fileLocators, verificationLists, fileControl, cryptograms, scripts,
    ]

    private static let dataObjects = FuzzTarget(
        "tlv", longestInput: 1024,
        seeds: {
            let card = TestCard.Profile.standard()
            return card.records.map { BERTLV.encode(0x70, $0) } + [
                tlv(
                    0x6F, tlv(0x84, "A0000000031010"),
                    tlv(0xA5, tlv(0x50, "56495341"), tlv(0xBF0C, tlv(0x9F4D, "0B0A")))),
                bytes("00 00 5A 81 02 1234 00"), bytes("9F8181 01 820003 010203"), bytes("DF 7F 00 1F 83 000001 AA"),
            ]
        },
        run: { bytes in
            for depth in [1, 3] { _ = try? BERTLV.parse(bytes, limits: BERTLV.Limits(depth: depth, bytes: 512)) }
            var reader = BERTLVReader(0..<bytes.count)
            var found: [BERTLVReader.Object] = []
            while let object = try? reader.next(in: bytes.span) { found.append(object) }
            let objects = try BERTLV.parse(bytes)
            same(found.map(\.tag), objects.map(\.tag), "the reader in place reads the same objects")
            same(found.map { Array(bytes[$0.value]) }, objects.map { Array($0.value) }, "and the same values")
            same(try BERTLV.parse(objects.flatMap(\.encoded)), objects, "objects are read as they were encoded")
            for object in objects {
                hold((1...4).contains(object.tag.bytes.count), "a tag of one to four bytes")
                let minimal = try BERTLV.parse(BERTLV.encode(object.tag, object.value))
                hold(minimal.count == 1, "one object")
                hold(minimal[0].tag == object.tag && minimal[0].value == object.value, "tag and value stay")
                same(minimal[0].children, object.children, "children stay")
                hold(objects.first(object.tag) != nil, "an object is found by its tag")
            }
        })

    /// The first byte selects the type of the rest.
    private static let decoding = FuzzTarget(
        "decode", longestInput: 1024,
        seeds: {
            let card = TestCard.Profile.standard()
            let texts: [(name: String?, digits: String)] = [
                (nil, "6F1A840E315041592E5359532E4444463031A5088801025F2D02656E"),
                (nil, "3BE800008131FE4500734F0A1B2C3D4E5F"),
                ("exchange", "00A4040007A0000000031010 6F098407A0000000031010 9000"),
                ("dol", "9F02069F03069F1A0295055F2A029A039C019F3704"),
                ("iad", "06010A03A4A002"), ("iad", "0110A00001220000000000000000000000FF"), ("tvr", "8000048000"),
                ("cvm-list", "000000000000000042031E031F03"),
                ("tlv", "7213 9F180400000001 860A 8424000205 1122334455"), ("ttq", "36004000"),
                ("afl", "0801030110010100"),
                ("response", "8012800042112233445566778806010A03A4A0029000"), ("csu", "00820000"),
            ]
            return texts.map {
                [UInt8($0.name.flatMap(DecodingSubject.names.firstIndex(of:)).map { $0 + 1 } ?? 0), 0]
                    + bytes($0.digits)
            }
                + card.records.map { [0, 1] + BERTLV.encode(0x70, $0) }
        },
        run: { bytes in
            let input = Choices(bytes)
            let subjects = [nil] + DecodingSubject.names.map { DecodingSubject(name: $0) }
            let subject = subjects[input.number(below: subjects.count)]
            let brands = [nil] + CardBrand.allCases
            let brand = brands[input.number(below: brands.count)]
            let content = Array(bytes.dropFirst(2))
            guard let decoding = EMVDecoder.decode(content, as: subject, brand: brand) else {
                return hold(subject == nil, "a given subject is decoded")
            }
            same(decoding.length, content.count, "a decoding knows its length")
            hold((0...content.count).contains(decoding.problem?.offset ?? 0), "a problem has a place")
            hold(
                decoding.text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F },
                "no control characters")
        })

    private static let dataObjectLists = FuzzTarget(
        "dol", longestInput: 512,
        seeds: {
            [TestCard.Profile.cdol1, TestCard.Profile.cdol2, bytes("9F3704"), bytes("9F66049F02069F37045F2A02")]
        },
        run: { bytes in
            for limit in [252, 255] {
                guard let list = try? DataObjectList(bytes, limit: limit) else { continue }
                hold(list.filledLength <= limit, "a list asks for no more than fits")
                let values: [[UInt8]?] = [nil, [], [0x12], [UInt8](repeating: 0x99, count: 300)]
                for value in values {
                    let filled = list.filled { _ in value }
                    same(filled.count, list.filledLength, "a filled list is as long as it says")
                }
                hold(list.entries.allSatisfy { list.asks(for: $0.tag) }, "a list asks for its entries")
            }
        })

    private static let fileLocators = FuzzTarget(
        "afl", longestInput: 260,
        seeds: { [bytes("08010301"), bytes("080101001001030118010200"), bytes("08010100F0010100")] },
        run: { bytes in
            let locator = try ApplicationFileLocator(bytes)
            same(locator.entries.count * 4, bytes.count, "four bytes an entry")
            for entry in locator.entries {
                hold((1...30).contains(entry.file), "a file")
                hold(entry.records.lowerBound > 0, "records count from 1")
                hold(Int(entry.authenticatedCount) <= entry.records.count, "no more than there are")
            }
        })

    private static let verificationLists = FuzzTarget(
        "cvm-list", longestInput: 256,
        seeds: { [bytes("000000000000000041034403 4203 5E03 1F00"), bytes("0000000A000000140203460603010504")] },
        run: { bytes in
            guard let list = CVMList(bytes) else { return }
            same(8 + 2 * list.rules.count, bytes.count, "two bytes a rule")
            for rule in list.rules {
                if let method = rule.method {
                    for capabilities in [TerminalConfiguration.standardCapabilities, .contactChip] {
                        let findings = method.findingsWhenUnsupported(capabilities)
                        hold(!findings.contains(.cardholderVerificationFailed), "a rule alone fails nothing")
                        _ = method.isSupported(by: capabilities)
                    }
                }
                _ = rule.condition
            }
        })

    private static let fileControl = FuzzTarget(
        "fci", longestInput: 300,
        seeds: {
            [
                tlv(0x6F, tlv(0x84, "A0000000031010"), tlv(0xA5, tlv(0x50, "56495341"), tlv(0x9F38, "9F1A02"))),
                tlv(
                    0x6F, BERTLV.encode(0x84, Array("1PAY.SYS.DDF01".utf8)),
                    tlv(0xA5, tlv(0x88, "01"), tlv(0x9F11, "01"))),
            ]
        },
        run: { bytes in
            guard let information = FileControlInformation(bytes) else { return }
            hold((5...16).contains(information.dfName.count), "a DF name")
            for object in information.proprietary { hold(information.value(object.tag) != nil, "an object of A5") }
        })

    private static let cryptograms = FuzzTarget(
        "cryptogram", longestInput: 300,
        seeds: {
            [
                bytes("8012 80 002A A1A1A1A1A1A1A1A1 06010A03A00000"),
                tlv(0x77, tlv(0x9F27, "80"), tlv(0x9F36, "002A"), tlv(0x9F26, "A1A1A1A1A1A1A1A1"), tlv(0x9F10, "0601")),
                tlv(0x77, tlv(0x9F27, "40"), tlv(0x9F36, "002A"), tlv(0x9F4B, "AABBCC"), tlv(0x9F10, "0601")),
                bytes("8006 5C00 08010301"), tlv(0x77, tlv(0x82, "5C00"), tlv(0x94, "08010301")),
            ]
        },
        run: { bytes in
            if let answer = try? ApplicationInitiation.parse(bytes) {
                hold(answer.objects.contains { $0.tag == EMVTag.fileLocator }, "an AFL")
            }
            _ = try? OfflineDataAuthentication.parse(bytes)
            let answer = try CryptogramAnswer(bytes)
            hold(answer.cryptogram?.count ?? 8 == 8, "a cryptogram of eight bytes")
            hold(answer.issuerApplicationData.count <= 32, "issuer application data")
            same(answer.information.type, answer.type, "the type is the one of 9F27")
        })

    private static let scripts = FuzzTarget(
        "script", longestInput: 300,
        seeds: {
            [
                tlv(0x9F18, "11223344") + tlv(0x86, "8424000000") + tlv(0x86, "8418000004AABBCCDD"),
                tlv(0x86, "841600000422334455"),
            ]
        },
        run: { bytes in
            guard let script = IssuerScript(template: bytes) else { return }
            hold(!script.commands.isEmpty, "a script has commands")
            hold(script.identifier?.count ?? 4 == 4, "an identifier of four bytes")
            for (index, command) in script.commands.enumerated() {
                _ = try? CommandAPDU(bytes: command)
                let result = IssuerScriptResult(
                    outcome: .failed(command: index + 1), identifier: script.identifier,
                    isBeforeFinalCryptogram: true, statuses: [])
                same(result.bytes.count, 5, "a result of five bytes")
            }
        })
}
