import SmartCard
import Testing

@testable import Simulator

struct CardSelectionTests {
    // EMV Book 1 §12.2.3: each directory entry has its ADF name, and READ RECORD beyond the last answers 6A83
    // EMV Book 1 §11.2: READ RECORD gives a record by number and file
    @Test func `the payment system directory names every application`() throws {
        let card = try CardUnderTest(named: "multi-application")
        let directory = try card.send("00A40400 0E 315041592E5359532E4444463031 00")
        #expect(directory.status == .success)
        #expect(directory.data == hex("6F20 840E315041592E5359532E4444463031 A50E 880101 5F2D04 6672656E 9F110101"))
        let first = try BERTLV.parse(try card.send("00B2010C00").data)
        #expect(first.first(0x4F)?.value == hex("A0000000031010"))
        #expect(first.first(0x87)?.value == [0x81])
        #expect(first.first(0x9F12)?.value == Array("Cr\u{E9}dit".unicodeScalars.map { UInt8($0.value) }))
        #expect(try BERTLV.parse(try card.send("00B2020C00").data).first(0x4F)?.value == hex("A0000000032010"))
        #expect(try card.send("00B2030C00").status == .recordNotFound)
        #expect(try card.send("00B2011400").status == .fileNotFound)
    }

    @Test func `a card without a directory reports that it is missing`() throws {
        var profile = try CardProfileLibrary.profile("visa-credit")
        profile.hasPSE = false
        #expect(try CardUnderTest(profile).send("00A40400 0E 315041592E5359532E4444463031 00").status == .fileNotFound)
    }

    // EMV Book 1 §11.3.4: SELECT by name is answered with file control information
    @Test func `an application is selected by its name and gives its file control information`() throws {
        let response = try CardUnderTest(named: "visa-credit").select()
        #expect(
            response.data
                == hex(
                    """
                    6F32 8407A0000000031010 A527 500B56495341204352454449 54 870101 5F2D02656E 9F110101
                    9F120B5669736120437265646974
                    """))
        #expect(response.status == .success)
    }

    // EMV Book 1 §11.3.5: SELECT of the next occurrence gives one application after another, and 6A82 after the last
    @Test func `a partial name selects the applications one after another`() throws {
        let card = try CardUnderTest(named: "multi-application")
        let name = "A000000003"
        #expect(
            try BERTLV.parse(try card.send("00A40400 05 \(name) 00").data).first(0x84)?.value == hex("A0000000031010"))
        #expect(
            try BERTLV.parse(try card.send("00A40402 05 \(name) 00").data).first(0x84)?.value == hex("A0000000032010"))
        #expect(try card.send("00A40402 05 \(name) 00").status == .fileNotFound)
        #expect(try card.select("A0000000041010").status == .fileNotFound)
    }

    // EMV Book 1 §11.3.5: a blocked application is selected with 6283
    @Test func `a blocked application can be selected with a warning and not used`() throws {
        let card = try CardUnderTest(named: "blocked-application")
        let response = try card.select()
        #expect(response.status == .selectedFileInvalidated)
        #expect(!response.data.isEmpty)
        #expect(try card.send("80A80000028300 00").status == .conditionsNotSatisfied)
    }

    // EMV Book 1 §11.3.5: a blocked card answers SELECT with 6A81
    @Test func `a blocked card selects nothing`() throws {
        var profile = try CardProfileLibrary.profile("visa-credit")
        profile.isBlocked = true
        #expect(try CardUnderTest(profile).select().status == .functionNotSupported)
    }

    // EMV Book 3 §6.3.5: commands that come too early or in another form have status words of their own
    @Test(arguments: [
        ("00A40000 07 A0000000031010 00", 0x6A86), ("00A40404 07 A0000000031010 00", 0x6A86), ("00A40400 00", 0x6700),
        ("00A40400 11 A000000003101000000000000000000000 00", 0x6700), ("01A40400 07 A0000000031010 00", 0x6E00),
        ("80A40400 07 A0000000031010 00", 0x6E00), ("00C00000 00", 0x6D00), ("0088 0000 04 11223344 00", 0x6985),
        ("00FF0000", 0x6D00), ("FFCA000000", 0x6E00), ("00B2010C00", 0x6985), ("80A80000028300 00", 0x6985),
        ("80CA9F3600", 0x6985), ("0084000000", 0x6985), ("00200080 08 241234FFFFFFFFFF", 0x6985),
        ("80AE8000 01 00 00", 0x6985), ("00820000 08 0000000000000000", 0x6985),
        ("841E0000 08 0000000000000000", 0x6D00),
    ])
    func `commands that require an application have their status word`(command: String, status: UInt16) throws {
        #expect(try CardUnderTest(named: "visa-credit").send(command).status.rawValue == status)
    }

    // EMV Book 3 §6.5.8: GET PROCESSING OPTIONS takes template 83 and is good once
    @Test func `processing options are returned once, with interchange profile and file locator`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.select()
        #expect(try card.send("80A80000 03 830100 00").status == .wrongLength)
        #expect(try card.send("80A80000 02 8400 00").status.rawValue == 0x6A80)
        #expect(try card.send("80A80000 02 8301 00").status.rawValue == 0x6A80)
        #expect(try card.send("80A80100 02 8300 00").status == .incorrectParameters)
        #expect(try card.send("00B2011400").status == .conditionsNotSatisfied)
        let response = try card.send("80A80000 02 8300 00")
        #expect(response.data == hex("800A 1C00 08010100 10010201"))
        #expect(try card.send("80A80000 02 8300 00").status == .conditionsNotSatisfied)
    }

    // EMV Book 3 §6.5.8.4: format 2 holds AIP and AFL as data objects
    @Test func `M-Chip responds in template 77`() throws {
        let card = try CardUnderTest(named: "mastercard-credit")
        try card.select("A0000000041010")
        #expect(try card.send("80A80000 02 8300 00").data == hex("770E 82021800 9408 08010100 10010201"))
    }

    // EMV Book 3 §10.1: the data of GET PROCESSING OPTIONS have the length that the PDOL asks for
    @Test func `a PDOL is in the file control information, and its data must have the correct length`() throws {
        var profile = try CardProfileLibrary.profile("visa-credit")
        profile.applications[0].pdol = CardDataObjectList(hex("9F1A02 9F3501"))
        let card = try CardUnderTest(profile)
        #expect(try BERTLV.parse(try card.select().data).first(0x9F38)?.value == hex("9F1A029F3501"))
        #expect(try card.send("80A80000 02 8300 00").status == .wrongLength)
        #expect(try card.send("80A80000 05 8303 084022 00").status == .success)
    }

    // EMV Book 3 §6.5.11: READ RECORD answers with the record template, and with a status of its own where there is
    // none
    // EMV Book 3 §7.2: the records hold what every application must have
    @Test func `the records contain the data of the profile`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.begin()
        let track = try BERTLV.parse(try card.send("00B2010C00").data)
        #expect(track.first(0x57)?.value == hex("4761739001010010D35122010000 0F"))
        #expect(track.first(0x5F20)?.value == Array("CARDHOLDER/VISA".utf8))
        let data = try BERTLV.parse(try card.send("00B2011400").data)
        #expect(data.first(0x5A)?.value == hex("4761739001010010"))
        #expect(data.first(0x5F24)?.value == hex("351231"))
        #expect(data.first(0x5F25)?.value == hex("240101"))
        #expect(data.first(0x5F34)?.value == hex("01"))
        #expect(data.first(0x5F28)?.value == hex("0840"))
        #expect(data.first(0x9F42)?.value == hex("0840"))
        #expect(data.first(0x9F07)?.value == hex("FFC0"))
        #expect(data.first(0x8E)?.value == hex("00000000 00000000 5E03 1F00"))
        let lists = try BERTLV.parse(try card.send("00B2021400").data)
        #expect(lists.first(0x8C)?.value.count == 21)
        #expect(lists.first(0x8D)?.value.prefix(2) == hex("8A02")[...])
        #expect(try card.send("00B2031400").status == .recordNotFound)
        #expect(try card.send("00B2001400").status == .incorrectParameters)
        #expect(try card.send("00B2011500").status == .incorrectParameters)
        #expect(try card.send("00B2011C00").status == .fileNotFound)
    }

    // EMV Book 3 §7.3: GET DATA gives counters and PIN tries, and nothing that is not for it
    // EMV Book 3 §10.1: each GET PROCESSING OPTIONS counts the transaction counter up
    @Test func `the counter counts transactions, and GET DATA returns it`() throws {
        let card = try CardUnderTest(named: "pin-required")
        try card.select()
        #expect(try card.send("80CA9F3600").data == hex("9F36020001"))
        try card.begin()
        #expect(try card.send("80CA9F3600").data == hex("9F36020002"))
        #expect(try card.send("80CA9F1300").data == hex("9F13020001"))
        #expect(try card.send("80CA9F1700").data == hex("9F170103"))
        #expect(try card.send("80CA9F4F00").status == .referencedDataNotFound)
        #expect(try card.send("80CA005A00").status == .referencedDataNotFound)
        // Power loss loses the session and not the counter.
        _ = card.card.reset(warm: true)
        #expect(try card.send("80CA9F3600").status == .conditionsNotSatisfied)
        try card.begin()
        #expect(try card.send("80CA9F3600").data == hex("9F36020003"))
    }

    @Test func `an application with an exhausted counter returns no processing options`() throws {
        var profile = try CardProfileLibrary.profile("visa-credit")
        profile.applications[0].atc = 0xFFFE
        let card = try CardUnderTest(profile)
        try card.begin()
        #expect(try card.select().status == .success)
        #expect(try card.send("80A80000 02 8300 00").status == .conditionsNotSatisfied)
    }

    @Test func `the same seed gives the same challenges`() throws {
        let profile = try CardProfileLibrary.profile("visa-credit")
        func challenge(_ seed: UInt64) throws -> [UInt8] {
            let card = try CardUnderTest(profile, seed: seed)
            try card.select()
            return try card.send("0084000000").data
        }
        #expect(try challenge(7) == challenge(7))
        #expect(try challenge(7) != challenge(8))
        #expect(try challenge(7).count == 8)
    }

    @Test func `headers determine which commands send data`() throws {
        let card = try CardUnderTest(named: "visa-credit").card
        #expect(card.sendsData(header: hex("00A4040007")))
        #expect(card.sendsData(header: hex("80AE80001D")))
        #expect(!card.sendsData(header: hex("00B2010C00")))
        #expect(!card.sendsData(header: hex("0084000000")))
        #expect(!card.sendsData(header: hex("00C000001D")))
        #expect(!card.sendsData(header: []))
    }
}
