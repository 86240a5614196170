import CardSecrets
import MagneticStripe
import Testing

@Suite struct AccountTrackTests {
    @Test func `track 2 gives account, expiry, service code and what the issuer put behind them`() throws {
        let track = try AccountTrack(.two, Stripe.ascii(Stripe.two))
        #expect(track.pan.lastFour == "0010")
        #expect(track.expiry == StripeExpiry(yearAndMonth: 3512))
        #expect(track.serviceCode == ServiceCode(201))
        #expect(track.discretionaryData.text == "00000123")
        #expect(track.content.text == String(Stripe.two.dropFirst().dropLast()))
    }

    @Test func `track 2 becomes track 2 equivalent data with its last half byte filled`() throws {
        let even = try AccountTrack(.two, Stripe.ascii(";4761739001010010=3512201000?"))
        #expect(even.equivalentData()?.hex == "4761739001010010D3512201000F")
        let odd = try AccountTrack(.two, Stripe.ascii(";4761739001010010=35122010001?"))
        #expect(odd.equivalentData()?.hex == "4761739001010010D35122010001")
        let one = try AccountTrack(.one, Stripe.ascii(Stripe.one))
        #expect((one.equivalentData() == nil) == true)
    }

    @Test func `track 1 has a name between account and dates, and it is nowhere but in the content`() throws {
        let track = try AccountTrack(.one, Stripe.ascii(Stripe.one))
        #expect(track.pan.lastFour == "0010")
        #expect(track.expiry == StripeExpiry(yearAndMonth: 3512))
        #expect(track.serviceCode == ServiceCode(201))
        #expect(track.discretionaryData.text == "0000012345678")
    }

    @Test func `a date or a code can be left out, with a separator in its place`() throws {
        let noDate = try AccountTrack(.two, Stripe.ascii(";4761739001010010==201123?"))
        #expect(noDate.expiry == nil)
        #expect(noDate.serviceCode == ServiceCode(201))
        let noCode = try AccountTrack(.one, Stripe.ascii("%B4761739001010010^A/B^3512^9?"))
        #expect(noCode.expiry != nil)
        #expect(noCode.serviceCode == nil)
        #expect(noCode.discretionaryData.text == "9")
    }

    @Test func `numbers that begin with 59 have a country behind them`() throws {
        let two = try AccountTrack(.two, Stripe.ascii(";5912345678901234=2503512101?"))
        #expect(two.expiry == StripeExpiry(yearAndMonth: 3512))
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
    func `a track 2 that is wrong says what and where`(text: String, expected: TrackError.Fault) {
        #expect(fault(.two, text) == expected)
    }

    @Test(arguments: [
        ("%A4761739001010010^A/B^3512201?", TrackError.Fault.formatCode), ("%?", .formatCode),
        ("%B4761739001010010?", .noSeparator(position: 3)), ("%B476173900X010010^A/B^3512201?", .account(.notDigits)),
        ("%B4761739001010010^ABCDEFGHIJKLMNOPQRSTUVWXYZA^3512201?", .name(position: 20)),
        ("%B4761739001010010^A/B?", .noSeparator(position: 20)),
        ("%B4761739001010010^a/b^3512201?", .character(position: 20)),
    ])
    func `a track 1 that is wrong says what and where`(text: String, expected: TrackError.Fault) {
        #expect(fault(.one, text) == expected)
    }

    @Test func `the longest tracks are taken, and a character more is not`() {
        let two = ";4761739001010010=" + String(repeating: "9", count: 19)
        #expect(fault(.two, two + "?") == .expiry(position: 19))
        let head = ";4761739001010010=3512201"
        #expect(fault(.two, head + String(repeating: "1", count: 37 - head.utf8.count + 1) + "?") == nil)
        #expect(fault(.two, head + String(repeating: "1", count: 37 - head.utf8.count + 2) + "?") == .tooLong(41))
    }

    @Test func `track 3 is no account track`() {
        #expect(throws: TrackError(.three, .formatCode)) { _ = try AccountTrack(.three, Stripe.ascii(Stripe.three)) }
    }
}
