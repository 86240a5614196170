import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import SmartCard
import Testing

/// Every object of every answer, mangled in every way.
struct Kernel8MangledAnswerTests {
    /// What happens to one object.
    enum Mangling: String, CaseIterable, Sendable {
        case removed, doubled, doubledWithAnotherValue, emptied, truncated, lengthened
        /// The length claims one byte more or less than there is.
        case longerThanItIs, shorterThanItIs
        /// The length is FE, or indefinite.
        case endless, indefinite
        case movedToTheEnd, movedToTheFront

        /// Returns the encoding of objects, of which the one at `place` is mangled.
        func applied(to objects: [BERTLV], at place: Int) -> [UInt8] {
            var parts = objects.map(\.encoded)
            let object = objects[place]
            let header = parts[place].count - object.value.count
            switch self {
            case .removed: parts[place] = []
            case .doubled: parts[place] += parts[place]
            case .doubledWithAnotherValue:
                parts[place] += BERTLV.encode(object.tag, object.value.map { $0 ^ 0x01 })
            case .emptied: parts[place] = BERTLV.encode(object.tag, [])
            case .truncated: parts[place] = BERTLV.encode(object.tag, Array(object.value.dropLast()))
            case .lengthened: parts[place] = BERTLV.encode(object.tag, object.value + [0x00])
            case .longerThanItIs: parts[place][header - 1] &+= 1
            case .shorterThanItIs: parts[place][header - 1] &-= 1
            case .endless: parts[place][header - 1] = 0xFE
            case .indefinite: parts[place][header - 1] = 0x80
            case .movedToTheEnd: parts.append(parts.remove(at: place))
            case .movedToTheFront: parts.insert(parts.remove(at: place), at: 0)
            }
            return parts.flatMap(\.self)
        }
    }

    /// Returns every mangling of each object inside a template, with the tag.
    private func manglings(of answer: [UInt8], _ mangling: Mangling) throws -> [(tag: BERTag, bytes: [UInt8])] {
        let template = try #require(try BERTLV.parse(answer).first)
        return template.children.indices.map { place in
            (
                template.children[place].tag,
                BERTLV.encode(template.tag, mangling.applied(to: template.children, at: place))
            )
        }
    }

    /// Runs a transaction that must end, and whose cryptogram for the host is always the card's.
    private func run(
        _ card: ScriptedCard, _ fixture: Kernel8Fixture, _ what: String
    ) throws -> Kernel8Fixture.Run {
        // A card that gets no key from the kernel, because its PDOL was mangled, refuses.
        let run = try fixture.run(selection: card.selection) { command in
            (try? card.answer(command)) ?? ResponseAPDU(status: .conditionsNotSatisfied)
        }
        let result = try #require(run.kernel.result)
        #expect(run.outcome != nil, "\(what)")
        #expect(result.error == nil || run.outcome?.dataRecord == nil, "\(what)")
        #expect(result.error == nil || run.outcome?.status != .approved, "\(what)")
        if run.outcome?.dataRecord != nil {
            #expect(run.record[0x9F26] == card.cryptogram, "\(what)")
            #expect(run.record[0x9F36] == [0, 1], "\(what)")
        }
        return run
    }

    @Test(arguments: Mangling.allCases)
    func `an answer to SELECT with a mangled object ends with an outcome`(mangling: Mangling) throws {
        let outer = try #require(try BERTLV.parse(ScriptedCard().selection).first)
        let inner = try #require(outer.children.first { $0.tag == 0xA5 })
        for (tag, bytes) in try manglings(of: outer.encoded, mangling) + manglings(of: inner.encoded, mangling) {
            let card = ScriptedCard()
            // What was inside A5 goes there again.
            card.selection =
                bytes.first == 0xA5
                ? BERTLV.encode(0x6F, outer.children.filter { $0.tag != 0xA5 }.flatMap(\.encoded) + bytes) : bytes
            _ = try run(card, try Kernel8Fixture(), "\(mangling) \(tag)")
        }
    }

    @Test(arguments: Mangling.allCases, [0xA8, 0xAE] as [UInt8])
    func `an answer with a mangled object is an error, or changes nothing`(
        mangling: Mangling, instruction: UInt8
    ) throws {
        var right: [UInt8] = []
        let good = ScriptedCard()
        good.bends[instruction] = { answer in
            right = answer.data
            return answer
        }
        let wanted = try run(good, try Kernel8Fixture(), "a good card")
        for (tag, bytes) in try manglings(of: right, mangling) {
            let card = ScriptedCard()
            card.bends[instruction] = { _ in ResponseAPDU(data: bytes, status: .success) }
            let mangled = try run(card, try Kernel8Fixture(), "\(mangling) \(tag)")
            guard let error = mangled.kernel.result?.error else {
                // The order of the answer to GENERATE AC is part of the IAD-MAC.
                #expect(mangled.outcome?.status == wanted.outcome?.status, "\(mangling) \(tag)")
                continue
            }
            #expect(mangled.outcome?.status != .approved, "\(mangling) \(tag): \(error)")
            #expect(!"\(error)".isEmpty)
        }
    }

    @Test(arguments: Mangling.allCases)
    func `a record with a mangled object is an error, or is not authenticated`(mangling: Mangling) throws {
        for index in ScriptedCard().records.indices {
            let objects = try BERTLV.parse(ScriptedCard().records[index])
            for place in objects.indices {
                let card = ScriptedCard()
                card.records[index] = mangling.applied(to: objects, at: place)
                let what = "\(mangling) \(objects[place].tag)"
                let mangled = try run(card, try Kernel8Fixture(), what)
                guard mangled.kernel.result?.error == nil else { continue }
                let changes = card.records[index] != ScriptedCard().records[index]
                // The first record is signed: its bytes count, also their order.
                if index == 0, changes {
                    #expect(mangled.kernel.authentication != .succeeded, "\(what)")
                }
            }
        }
    }

    @Test(arguments: Mangling.allCases)
    func `a mangled envelope is not read, and the transaction goes on`(mangling: Mangling) throws {
        var fixture = try Kernel8Fixture()
        fixture.data[0x9F_8203] = hex("9F8111")
        let card = ScriptedCard()
        card.envelopes[0x9F_8111] = hex("0102")
        card.bends[0x32] = { right in
            let parts = BERTLV(0xDF01, right.data)
            return ResponseAPDU(data: mangling.applied(to: [parts, parts], at: 1), status: .success)
        }
        let mangled = try run(card, fixture, "\(mangling)")
        #expect(mangled.kernel.result?.error == nil)
        #expect(mangled.discretionary[0x9F_821C] == [0x00])
    }

    /// A card may answer when its field was switched off already, or the reader gives an answer twice.
    @Test(arguments: [0xA8, 0xB2, 0xAE] as [UInt8])
    func `an answer that comes after the field was off decides nothing`(instruction: UInt8) throws {
        var late: [UInt8: ResponseAPDU] = [:]
        let card = ScriptedCard()
        for instruction: UInt8 in [0xA8, 0xB2, 0xAE] {
            card.bends[instruction] = { right in
                late[instruction] = right
                return right
            }
        }
        var fixture = try Kernel8Fixture()
        _ = try fixture.run(card)
        let answer = try #require(late[instruction])
        // The same keys, so that the answer would be right; the card leaves at its first command.
        fixture.failure = (command: 0, error: .cardRemoved)
        var kernel = try fixture.run(ScriptedCard()).kernel
        for _ in 0..<3 {
            let step = kernel.receive(.response(answer, took: .milliseconds(5)))
            guard case .finish(let outcome) = step.next else {
                Issue.record("a command after the end")
                return
            }
            #expect(outcome.status == .endApplication)
            #expect(outcome.dataRecord == nil)
        }
    }

    @Test func `a transaction that has ended is not decided again by its own cryptogram`() throws {
        var cryptogram: ResponseAPDU?
        let card = ScriptedCard()
        card.bends[0xAE] = { right in
            cryptogram = right
            return right
        }
        var kernel = try Kernel8Fixture().run(card).kernel
        let step = kernel.receive(.response(try #require(cryptogram), took: .zero))
        guard case .finish(let outcome) = step.next else {
            Issue.record("a command after the end")
            return
        }
        #expect(outcome.status == .endApplication)
        #expect(outcome.dataRecord == nil)
    }
}
