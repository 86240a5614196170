import CardSecrets
import MagneticStripe
import Testing

@Suite struct AccountTrackTests {
    @Test func `track 2 contains account, expiration date, service code, and discretionary data`() throws {
        let track = try AccountTrack(.two, Stripe.ascii(Stripe.two))
        #expect(track.pan.lastFour == "0010")
        #expect(track.expiry == CardExpiry(yearAndMonth: 3512))
        #expect(track.serviceCode == ServiceCode(201))
        #expect(track.discretionaryData.text == "00000123")
        #expect(track.content.text == String(Stripe.two.dropFirst().dropLast()))
    }

    @Test func `track 2 becomes track 2 equivalent data, padded to whole bytes`() throws {
        let even = try AccountTrack(.two, Stripe.ascii(";4761739001010010=3512201000?"))
        #expect(even.equivalentData()?.hex == "4761739001010010D3512201000F")
        let odd = try AccountTrack(.two, Stripe.ascii(";4761739001010010=35122010001?"))
        #expect(odd.equivalentData()?.hex == "4761739001010010D35122010001")
        let one = try AccountTrack(.one, Stripe.ascii(Stripe.one))
        #expect((one.equivalentData() == nil) == true)
    }

    @Test func `track 1 has a name between account and dates, which is only in the content`() throws {
        let track = try AccountTrack(.one, Stripe.ascii(Stripe.one))
        #expect(track.pan.lastFour == "0010")
        #expect(track.expiry == CardExpiry(yearAndMonth: 3512))
        #expect(track.serviceCode == ServiceCode(201))
        #expect(track.discretionaryData.text == "0000012345678")
    }

    @Test func `a date or code can be omitted, with a separator in its place`() throws {
        let noDate = try AccountTrack(.two, Stripe.ascii(";4761739001010010==201123?"))
        #expect(noDate.expiry == nil)
        #expect(noDate.serviceCode == ServiceCode(201))
        let noCode = try AccountTrack(.one, Stripe.ascii("%B4761739001010010^A/B^3512^9?"))
        #expect(noCode.expiry != nil)
        #expect(noCode.serviceCode == nil)
        #expect(noCode.discretionaryData.text == "9")
    }

    @Test func `numbers that begin with 59 are followed by a country`() throws {
        let two = try AccountTrack(.two, Stripe.ascii(";5912345678901234=2503512101?"))
        #expect(two.expiry == CardExpiry(yearAndMonth: 3512))
        let one = try AccountTrack(.one, Stripe.ascii("%B5912345678901234^250A/B^3512101?"))
        #expect(one.serviceCode == ServiceCode(101))
        #expect(fault(.two, ";5912345678901234=25?") == .country(position: 19))
    }

    @Test(arguments: [
        (";4761739001010010=3512201", TrackError.Fault.noEndSentinel),
        ("4761739001010010=3512201?", .noStartSentinel), ("", .noStartSentinel),
        (";4761739001010010?", .noSeparator(position: 2)), (";47617=3512201?", .account(.wrongLength(5))),
        (";47617390010100104761=3512201?", .account(.wrongLength(20))), (";=3512201?", .account(.wrongLength(0))),
        (";4761739001010010=351?", .expiry(position: 19)), (";4761739001010010=3513201?", .expiry(position: 19)),
        (";4761739001010010=3500201?", .expiry(position: 19)),
        (";4761739001010010=351220?", .serviceCode(position: 23)),
        (";4761739001010010=?", .expiry(position: 19)), (";47617390A1010010=3512201?", .character(position: 10)),
        (";4761739001010010=3512201:?", .character(position: 26)), (";4761739001010010=3512201?4", .redundancyCheck),
        (";4761739001010010=3512201?00", .character(position: 28)),
        (";4761739001010010=351220100000000000000000?", .tooLong(44)),
    ])
    func `an invalid track 2 is reported with problem and position`(text: String, expected: TrackError.Fault) {
        #expect(fault(.two, text) == expected)
    }

    @Test(arguments: [
        ("%A4761739001010010^A/B^3512201?", TrackError.Fault.formatCode), ("%?", .formatCode),
        ("%B4761739001010010?", .noSeparator(position: 3)), ("%B476173900X010010^A/B^3512201?", .account(.notDigits)),
        ("%B4761739001010010^ABCDEFGHIJKLMNOPQRSTUVWXYZA^3512201?", .name(position: 20)),
        ("%B4761739001010010^A/B?", .noSeparator(position: 20)),
        ("%B4761739001010010^a/b^3512201?", .character(position: 20)),
    ])
    func `an invalid track 1 is reported with problem and position`(text: String, expected: TrackError.Fault) {
        #expect(fault(.one, text) == expected)
    }

    @Test func `tracks of the maximum length are accepted, longer ones are not`() {
        let two = ";4761739001010010=" + String(repeating: "9", count: 19)
        #expect(fault(.two, two + "?") == .expiry(position: 19))
        let head = ";4761739001010010=3512201"
        #expect(fault(.two, head + String(repeating: "1", count: 37 - head.utf8.count + 1) + "?") == nil)
        #expect(fault(.two, head + String(repeating: "1", count: 37 - head.utf8.count + 2) + "?") == .tooLong(41))
    }

    @Test func `track 3 is not an account track`() {
        #expect(throws: TrackError(.three, .formatCode)) { _ = try AccountTrack(.three, Stripe.ascii(Stripe.three)) }
    }
}

@Suite struct FinancialTrackTests {
    @Test func `track 3 contains its format and the account, and keeps the rest`() throws {
        let track = try FinancialTrack(Stripe.ascii(Stripe.three))
        #expect(track.formatCode == 1)
        #expect(track.pan.lastFour == "0010")
        #expect(track.content.text == String(Stripe.three.dropFirst().dropLast()))
    }

    @Test(arguments: [
        (";0?", TrackError.Fault.formatCode), (";01?", .noSeparator(position: 4)),
        (";0147=?", .account(.wrongLength(2))),
        (";01" + String(repeating: "1", count: 200) + "?", .tooLong(205)),
    ])
    func `an invalid one is reported with problem and position`(text: String, expected: TrackError.Fault) {
        #expect(fault(.three, text) == expected)
    }
}

@Suite struct TrackEncodingTests {
    private func characters(_ bytes: [UInt8]) -> TrackDelivery { TrackDelivery(SensitiveBytes(bytes), .characters) }

    private func bits(_ bytes: [UInt8]) -> TrackDelivery { TrackDelivery(SensitiveBytes(bytes), .bits) }

    @Test
    func `a track is the same in ASCII, without sentinels, with its check character, as characters, and as bits`()
        throws
    {
        let inside = String(Stripe.two.dropFirst().dropLast())
        let redundancy = Stripe.two.utf8.reduce(0) { $0 ^ ($1 - 0x30) } + 0x30
        let asCharacters = Stripe.numeric(Stripe.two)
        let contents = [
            try AccountTrack(.two, Stripe.ascii(Stripe.two)).content.text,
            try AccountTrack(.two, Stripe.ascii(inside)).content.text,
            try AccountTrack(.two, TrackDelivery(SensitiveBytes(Array(Stripe.two.utf8) + [redundancy]))).content.text,
            try AccountTrack(.two, characters(asCharacters)).content.text,
            try AccountTrack(.two, characters(asCharacters + [0, 0, 0])).content.text,
            try AccountTrack(.two, bits(Stripe.bits(asCharacters, dataBits: 4))).content.text,
            try AccountTrack(.two, bits(Stripe.bits(asCharacters, dataBits: 4, lead: 3))).content.text,
            try AccountTrack(.two, bits(Stripe.bits(asCharacters, dataBits: 4, isReversed: true))).content.text,
        ]
        #expect(contents == Array(repeating: inside, count: contents.count))
    }

    @Test func `track 1 has seven bits a character`() throws {
        let asCharacters = Stripe.alphanumeric(Stripe.one)
        #expect(try AccountTrack(.one, characters(asCharacters)).serviceCode == ServiceCode(201))
        #expect(
            try AccountTrack(.one, bits(Stripe.bits(asCharacters, dataBits: 6, isReversed: true))).pan.lastFour
                == "0010")
    }

    @Test func `every wrong bit of a track is detected`() {
        let good = Stripe.numeric(Stripe.two)
        for place in good.indices {
            for bit in 0...4 as ClosedRange<UInt8> {
                var bad = good
                bad[place] ^= 1 << bit
                #expect(fault(.two, characters(bad)) == .parity(position: place + 1))
            }
        }
    }

    @Test func `two wrong bits of a character are detected by the check character`() {
        let good = Stripe.numeric(Stripe.two)
        for place in 1..<good.count - 2 {
            var bad = good
            bad[place] ^= 0b00011
            // One of them may look like an end, after which nothing fits either.
            #expect(fault(.two, characters(bad)) == .redundancyCheck)
        }
    }

    @Test func `truncated and empty tracks are rejected`() {
        let good = Stripe.numeric(Stripe.two)
        #expect(fault(.two, characters(Array(good.dropLast()))) == .redundancyCheck)
        #expect(fault(.two, characters(Array(good.dropLast(2)))) == .noEndSentinel)
        #expect(fault(.two, characters(Array(good.dropFirst()))) == .noStartSentinel)
        #expect(fault(.two, characters([])) == .noStartSentinel)
        #expect(fault(.two, bits([])) == .noStartSentinel)
        #expect(fault(.two, bits([UInt8](repeating: 0, count: 100))) == .noStartSentinel)
        #expect(fault(.two, bits([UInt8](repeating: 0, count: 5000))) == .tooLong(5000))
    }

    @Test func `random bytes are rejected in every encoding, and never trap`() {
        var generator = SystemRandomNumberGenerator()
        var taken = 0
        for _ in 0..<4000 {
            let bytes = (0..<Int.random(in: 0...120, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            for track in MagneticTrack.allCases {
                for encoding in [TrackEncoding.ascii, .characters, .bits] {
                    if fault(track, TrackDelivery(SensitiveBytes(bytes), encoding)) == nil { taken += 1 }
                }
            }
        }
        #expect(taken < 5)
    }
}
