import Testing

@testable import ISO8583

struct MessageFinderTests {
    private func types(_ finder: MessageFinder) -> [String] {
        finder.messages.map { found in
            switch found.content {
            case .success(let decoded): "\(decoded.message.type)"
            case .failure(let error): "\(error.field ?? 0)"
            }
        }
    }

    @Test(arguments: Vector.all)
    func `a message is found with and without its frame`(vector: Vector) throws {
        for bytes in [vector.frame, vector.body] {
            let finder = try MessageFinder(bytes, vector.profile)
            #expect(types(finder) == [try vector.type.description])
            #expect(finder.isComplete)
        }
    }

    @Test func `frames behind one another are found`() throws {
        let frames = Vector.numbered(9).frame + [0, 0] + Vector.numbered(10).frame
        let finder = try MessageFinder(Vector.numbered(9).frame + Vector.numbered(10).frame, Dialects.text)
        #expect(types(finder) == ["0200", "0210"])
        #expect(finder.messages.map(\.offset) == [0, Vector.numbered(9).frame.count])
        // This profile has no empty frames.
        let broken = try MessageFinder(frames, Dialects.text)
        #expect(types(broken) == ["0200"])
        #expect(!broken.isComplete)
        #expect(broken.problems.first?.hasPrefix("the frame is empty") == true)
    }

    @Test func `a cut frame tells both ways of reading it`() throws {
        let cut = try MessageFinder(Array(Vector.numbered(9).frame.dropLast()), Dialects.text)
        #expect(!cut.isComplete)
        #expect(cut.problems.first?.contains("the connection ended within a frame") == true)
        let none = try MessageFinder([], Dialects.text)
        #expect(!none.isComplete)
    }

    @Test func `a recording shows the streams with messages`() throws {
        var writer = CaptureWriter(.pcapng)
        writer.send(Vector.numbered(9).frame)
        writer.send(Vector.numbered(10).frame, isAnswer: true)
        let finder = try MessageFinder(writer.bytes, Dialects.text)
        #expect(types(finder) == ["0200", "0210"])
        #expect(finder.messages[1].source == "10.0.0.2:8583 → 10.0.0.1:40000")
        #expect(finder.isComplete)
        let other = try MessageFinder(writer.bytes, Dialects.packed)
        #expect(other.messages.isEmpty)
        #expect(other.otherStreams == 2)
        #expect(!other.isComplete)
        #expect(throws: PacketCaptureError.self) {
            try MessageFinder(Array(writer.bytes.prefix(8)), Dialects.text)
        }
    }
}
