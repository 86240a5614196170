import ISO8583
import SimulatedTime
import Simulator
import Testing

@testable import Acquirer

@Suite("Faults of the simulated acquirer", .simulatedTime)
struct FaultTests {
    /// A world with one fault of the next message about money.
    private func world(_ fault: String) throws -> AcquirerWorld {
        try AcquirerWorld(faults: [try AcquirerFault(fault)])
    }

    @Test func `a lost answer was decided, and a repeat gets it`() async throws {
        let world = try world("answer-lost:sale:1")
        let client = world.client()
        let sale = try world.sale(1)
        try await client.send(sale)
        #expect(try await client.receive() == nil)
        #expect(await world.book() == ["sale approved 1250"])
        #expect(try await client.code(sale.repeated) == "00")
        #expect(await world.book().count == 1)
    }

    @Test func `a late answer comes behind those of later requests`() async throws {
        let world = try world("answer-late=50s:1")
        let client = world.client()
        try await client.send(try world.sale(1))
        #expect(try await client.receive(within: .seconds(45)) == nil)
        let echo = try await client.ask(try world.message(.echo, 2))
        #expect(echo.text(of: 11) == "000002")
        let late = try await client.receive()
        #expect(late?.text(of: 11) == "000001" && late?.text(of: 39) == "00")
    }

    @Test func `a doubled answer comes twice`() async throws {
        let world = try world("answer-doubled")
        let client = world.client()
        let first = try await client.ask(try world.sale(1))
        #expect(try await client.receive() == first)
    }

    @Test func `an answer has the trace number of another request, or another type`() async throws {
        let world = try AcquirerWorld(faults: [try AcquirerFault("wrong-request:1"), try AcquirerFault("wrong-type:1")])
        let client = world.client()
        let other = try await client.ask(try world.sale(7))
        #expect(other.text(of: 11) == "000008" && other.text(of: 39) == "00")
        #expect(try await client.ask(try world.sale(9)).type == MessageType("0110"))
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `a damaged bitmap is an error of the message, not of the frame`(name: String) async throws {
        let world = try AcquirerWorld(name, faults: [AcquirerFault(.damagedBitmap, times: 1)])
        let client = world.client()
        try await client.send(try world.sale(1))
        await #expect(throws: MessageError.self) { _ = try await client.receive() }
        _ = try await client.ask(try world.message(.echo, 2))
    }

    @Test func `a cut frame ends the connection, and another one goes on`() async throws {
        let world = try world("cut-frame:1")
        let client = world.client()
        try await client.send(try world.sale(1))
        #expect(try await client.content() == nil)
        #expect(world.ends == ["closed by a fault"])
        #expect(try await world.client().code(try world.sale(1)) == "00")
        #expect(await world.book().count == 1)
    }

    @Test func `slow bytes make an answer in the end`() async throws {
        let world = try world("slow-bytes=1s")
        let client = world.client()
        try await client.send(try world.sale(1))
        #expect(try await client.receive() == nil)
        #expect(try await client.receive(within: .seconds(600))?.text(of: 39) == "00")
    }

    @Test func `a connection ends before or after the decision`() async throws {
        for (fault, book) in [("closed-before:1", [String]()), ("closed-after:1", ["sale approved 1250"])] {
            let world = try world(fault)
            let client = world.client()
            try await client.send(try world.sale(1))
            #expect(try await client.content() == nil)
            #expect(await world.book() == book)
            #expect(try await world.client().code(try world.sale(1)) == "00")
        }
    }

    @Test func `a half-open connection takes bytes and answers nothing`() async throws {
        let world = try world("half-open:1")
        let client = world.client()
        try await client.send(try world.sale(1))
        try await client.send(try world.message(.echo, 2))
        #expect(try await client.receive(within: .seconds(500)) == nil)
        #expect(world.ends.isEmpty)
        #expect(try await client.receive(within: .seconds(200)) == nil)
        #expect(world.ends == ["half-open by a fault"])
        #expect(await world.book().isEmpty)
    }

    @Test func `a signed-off terminal is refused until it signs on again`() async throws {
        let world = try world("signed-off:sale:1")
        let client = world.client()
        #expect(try await client.code(try world.sale(1)) == "58")
        #expect(try await client.code(try world.sale(2)) == "58")
        #expect(try await client.code(try world.message(.echo, 3)) == "00")
        #expect(try await client.code(try world.message(.signOn, 4)) == "00")
        #expect(try await client.code(try world.sale(5)) == "00")
        #expect(await world.book() == ["sale approved 1250"])
    }

    @Test(arguments: [("busy", "91", "911"), ("duplicate", "94", "913")])
    func `a refusal is not recorded`(fault: String, code: String, later: String) async throws {
        let world = try world("\(fault):1")
        let client = world.client()
        #expect(try await client.code(try world.sale(1)) == code)
        #expect(await world.book().isEmpty)
        #expect(try await client.code(try world.sale(1)) == "00")
        let other = try AcquirerWorld("iso93-ebcdic", faults: [try AcquirerFault(fault)])
        #expect(try await other.client().code(try other.sale(1)) == later)
    }

    @Test func `while the ledger is down there is no answer, and nothing is decided`() async throws {
        let world = try world("ledger-down:any:2")
        let client = world.client()
        try await client.send(try world.sale(1))
        try await client.send(try world.message(.echo, 2))
        #expect(try await client.receive() == nil)
        #expect(await world.book().isEmpty)
        #expect(try await client.code(try world.sale(1)) == "00")
    }

    @Test func `faults at random depend on the seed and the message alone`() async throws {
        func faults(_ seed: UInt64, reversed: Bool) throws -> [Int: AcquirerFault.Kind?] {
            let world = try AcquirerWorld(rate: 0.5, seed: seed)
            let numbers = Array(1...40)
            var found: [Int: AcquirerFault.Kind?] = [:]
            for number in reversed ? numbers.reversed() : numbers {
                let request = try world.acquirer.read(try world.sale(number)).get()
                found[number] = .some(world.faults.take(request)?.kind)
            }
            return found
        }
        let first = try faults(1, reversed: false)
        #expect(try faults(1, reversed: true) == first)
        #expect(try faults(2, reversed: false) != first)
        #expect((10...30).contains(first.values.count { $0 != nil }))
    }

    @Test func `faults are read from words, and wrong words get advice`() throws {
        let fault = try AcquirerFault("answer-late=500ms:offline-advice:3")
        #expect(fault == AcquirerFault(.answerLate, message: "offline-advice", times: 3, duration: .milliseconds(500)))
        #expect(try AcquirerFault("busy").remaining == nil)
        #expect(try AcquirerFault("answer-late").duration == .seconds(60))
        func problem(_ text: String) -> String {
            do throws(AcquirerFaultError) { return "\(try AcquirerFault(text))" } catch { return "\(error)" }
        }
        #expect(problem("anser-lost") == "unknown fault 'anser-lost': did you mean 'answer-lost'?")
        #expect(problem("busy:sales") == "unknown message 'sales': did you mean 'sale'?")
        #expect(problem("busy=5s") == "the fault 'busy' has no duration")
        #expect(problem("answer-late=5h").hasPrefix("'5h' is not a duration"))
        #expect(problem("busy:sale:0") == "the count 0 is not 1 to 1000000")
        #expect(problem("busy:sale:echo:1").contains("NAME[=DURATION]"))
        #expect(problem("").hasPrefix("unknown fault ''"))
    }
}
