import CardSecrets
import Determinism
import MagneticStripe
import SimulatedTime
import Simulator
import Testing

@Suite(.simulatedTime) struct SwipeTests {
    static let plain = [SimulatedMSRModel.pointOfSale, .fixedReport, .keyboard]

    @Test(arguments: plain)
    func `a swipe returns both tracks, from every kind of reader`(model: SimulatedMSRModel) async throws {
        let bench = try await SwipeBench(model)
        let swipe = try await bench.swiping(try SwipeBench.stripe())
        #expect(swipe.stripe.faults.isEmpty)
        let card = try SwipedCard(swipe.stripe)
        #expect(card.pan.lastFour == "0010")
        #expect(card.serviceCode == ServiceCode(201))
        #expect(card.expiry == CardExpiry(yearAndMonth: 3512))
        #expect((card.trackOne != nil) == true)
        await bench.driver.close()
    }

    @Test(arguments: plain)
    func `one swipe after the other is read`(model: SimulatedMSRModel) async throws {
        let bench = try await SwipeBench(model)
        for name in ["visa-credit", "stripe-only", "stripe-track-one", "visa-credit"] {
            let card = try SwipedCard(try await bench.swiping(try SwipeBench.stripe(name)).stripe)
            #expect((card.trackTwo == nil) == (name == "stripe-track-one"))
        }
        await bench.driver.close()
    }

    @Test(arguments: [(SimulatedMSRModel.pointOfSale, false), (.fixedReport, true), (.keyboard, true)])
    func `an unreadable stripe is reported as such by readers that detect it`(
        model: SimulatedMSRModel, isTold: Bool
    ) async throws {
        let bench = try await SwipeBench(model)
        let swipe = try await bench.swiping(try SwipeBench.stripe("stripe-bad-lrc"))
        #expect(swipe.stripe.faults.map(\.fault) == (isTold ? [.notDecoded, .notDecoded] : []))
        #expect((swipe.stripe.trackTwo == nil) == true)
        await bench.driver.close()
    }

    @Test func `a reader that enciphers is reported as such, and its data is not used`() async throws {
        let bench = try await SwipeBench(.encrypted)
        let swipe = try await bench.swiping(try SwipeBench.stripe())
        #expect(swipe.stripe.faults == [TrackError(.one, .encrypted), TrackError(.two, .encrypted)])
        #expect(throws: SwipedCardError.encrypted) { _ = try SwipedCard(swipe.stripe) }
        await bench.driver.close()
    }

    @Test(arguments: plain)
    func `an unexpected swipe is discarded`(model: SimulatedMSRModel) async throws {
        let bench = try await SwipeBench(model)
        bench.reader.swipe(try SwipeBench.stripe("stripe-only"))
        // The reader has sent everything, and the driver has processed it.
        while !bench.reader.isDrained { try await bench.clock.sleep(for: .milliseconds(1)) }
        let card = try SwipedCard(try await bench.swiping(try SwipeBench.stripe()).stripe)
        #expect(card.pan.lastFour == "0010")
        await bench.driver.close()
    }

    @Test func `an expected swipe is kept until the next wait, and not longer`() async throws {
        let bench = try await SwipeBench(.pointOfSale)
        bench.driver.expect()
        bench.reader.swipe(try SwipeBench.stripe())
        bench.reader.swipe(try SwipeBench.stripe("stripe-only"))
        while !bench.reader.isDrained { try await bench.clock.sleep(for: .milliseconds(1)) }
        #expect(try SwipedCard(try await bench.driver.swipe().stripe).pan.lastFour == "0010")
        bench.driver.expect()
        bench.reader.swipe(try SwipeBench.stripe("stripe-only"))
        while !bench.reader.isDrained { try await bench.clock.sleep(for: .milliseconds(1)) }
        bench.driver.expect()
        #expect(try SwipedCard(try await bench.swiping(try SwipeBench.stripe()).stripe).pan.lastFour == "0010")
        await bench.driver.close()
    }

    @Test func `a swipe that is typed incompletely ends after a pause`() async throws {
        let bench = try await SwipeBench(.keyboard)
        bench.reader.arm(.cutOff(afterReports: 60))
        let swipe = try await bench.swiping(try SwipeBench.stripe())
        #expect(swipe.stripe.faults == [TrackError(.one, .incomplete)])
        let card = try SwipedCard(try await bench.swiping(try SwipeBench.stripe()).stripe)
        #expect(card.pan.lastFour == "0010")
        await bench.driver.close()
    }

    @Test func `typing on such a keyboard is not a swipe`() async throws {
        let bench = try await SwipeBench(.keyboard)
        // hello, Enter
        for key in [0x0B, 0x08, 0x0F, 0x0F, 0x12, 0x28] as [UInt8] {
            bench.reader.send([0, 0, key, 0, 0, 0, 0, 0])
            bench.reader.send([UInt8](repeating: 0, count: 8))
        }
        let card = try SwipedCard(try await bench.swiping(try SwipeBench.stripe()).stripe)
        #expect(card.pan.lastFour == "0010")
        await bench.driver.close()
    }

    @Test func `a stuck key after a start sentinel is not a card, and ends`() async throws {
        let bench = try await SwipeBench(.keyboard)
        bench.clock.schedule(after: .seconds(1)) { [reader = bench.reader] in
            reader.send([0, 0, 0x33, 0, 0, 0, 0, 0])
            for round in 0..<600 { reader.send([0, 0, round % 2 == 0 ? 0x1E : 0x1F, 0, 0, 0, 0, 0]) }
        }
        let swipe = try await bench.driver.swipe()
        #expect(swipe.stripe.faults == [TrackError(.two, .incomplete)])
        await bench.driver.close()
    }

    @Test func `a truncated report is reported as such`() async throws {
        let bench = try await SwipeBench(.fixedReport)
        bench.reader.arm(.truncated(to: 120))
        let swipe = try await bench.swiping(try SwipeBench.stripe())
        #expect(swipe.stripe.faults == [TrackError(.two, .incomplete)])
        #expect((swipe.stripe.trackOne != nil) == true)
        await bench.driver.close()
    }

    @Test(arguments: SimulatedMSRModel.all)
    func `the driver continues after any reports`(model: SimulatedMSRModel) async throws {
        let bench = try await SwipeBench(model)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let length = model.kind == .keyboard ? 8 : Int.random(in: 0...227, using: &generator)
            bench.reader.send((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        while !bench.reader.isDrained { try await bench.clock.sleep(for: .milliseconds(1)) }
        #expect(bench.driver.loss == nil)
        await bench.driver.close()
    }

    // MARK: Enter behind each track

    /// Usage IDs of the keyboard page, and whether they go with shift.
    private static let keys: [Character: (UInt8, Bool)] = {
        var keys: [Character: (UInt8, Bool)] = [
            "%": (0x22, true), "?": (0x38, true), "/": (0x38, false), ";": (0x33, false), "=": (0x2E, false),
            "^": (0x23, true), "+": (0x2E, true), "0": (0x27, false), "\n": (0x28, false),
        ]
        for (place, digit) in "123456789".enumerated() { keys[digit] = (UInt8(0x1E + place), false) }
        for (place, letter) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ".enumerated() { keys[letter] = (UInt8(0x04 + place), true) }
        return keys
    }()

    private static let one = "%B4761739001010010^CARDHOLDER/VISA^35122010000012345678?"
    private static let two = ";4761739001010010=351220100000123?"

    /// Waits for what a reader types after a second.
    private func typing(_ text: String, _ bench: SwipeBench) async throws -> Swipe {
        let reports = try text.flatMap { character -> [[UInt8]] in
            let (key, isShifted) = try #require(Self.keys[character])
            return [[isShifted ? 0x02 : 0x00, 0, key, 0, 0, 0, 0, 0], [UInt8](repeating: 0, count: 8)]
        }
        bench.clock.schedule(after: .seconds(1)) { [reader = bench.reader] in
            for report in reports { reader.send(report) }
        }
        return try await bench.driver.swipe()
    }

    @Test func `a reader that types Enter after each track loses none`() async throws {
        let bench = try await SwipeBench(.keyboard)
        let swipe = try await typing(Self.one + "\n" + Self.two + "\n", bench)
        #expect(swipe.stripe.faults.isEmpty)
        #expect((swipe.stripe.trackOne != nil && swipe.stripe.trackTwo != nil) == true)
        // Its first track cannot be read, or breaks off: the second one counts.
        for (first, fault) in [("%E?", .notDecoded), ("%B47617390", .incomplete)] as [(String, TrackError.Fault)] {
            let swipe = try await typing(first + "\n" + Self.two + "\n", bench)
            #expect(swipe.stripe.faults == [TrackError(.one, fault)])
            #expect(try SwipedCard(swipe.stripe).pan.lastFour == "0010")
        }
        let lone = try await typing(Self.two + "\n", bench)
        #expect((lone.stripe.trackTwo != nil) == true)
        await bench.driver.close()
    }

    @Test func `after a line with two tracks there is no further wait`() async throws {
        let bench = try await SwipeBench(.keyboard)
        let start = bench.clock.now()
        let swipe = try await typing(Self.one + Self.two + "\n", bench)
        #expect((swipe.stripe.trackTwo != nil) == true)
        #expect(bench.clock.now() == start.advanced(by: .seconds(1)))
        await bench.driver.close()
    }
}
