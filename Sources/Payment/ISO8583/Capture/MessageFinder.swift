/// Finds the messages of a dialect in bytes from anywhere: frames, a single message without one, or a recording of
/// network traffic.
public struct MessageFinder: Sendable {
    /// A message, or why its bytes are none.
    public struct Found: Sendable {
        /// The direction of a recording, for example `10.0.0.1:40000 → 10.0.0.2:8583`; nil without one.
        public let source: String?
        /// The offset of the frame, or of the message without one, in its stream or in the input.
        public let offset: Int
        public let content: Result<DecodedMessage, MessageError>
    }

    public private(set) var messages: [Found] = []
    /// Why the search ended before the end of the bytes, each with its stream; empty when it did not.
    public private(set) var problems: [String] = []
    /// Streams of a recording that have no message of the dialect.
    public private(set) var otherStreams = 0

    private let profile: MessageProfile
    private let codec: MessageCodec

    /// - Parameters:
    ///   - bytes: frames, a message, or a recording.
    ///   - profile: the dialect.
    /// - Throws: ``PacketCaptureError`` when bytes that begin as a recording are none.
    public init(_ bytes: [UInt8], _ profile: MessageProfile) throws(PacketCaptureError) {
        (self.profile, codec) = (profile, profile.makeCodec())
        if PacketCapture.isCapture(bytes) {
            for stream in try PacketCapture(bytes).streams() { read(stream) }
        } else {
            read(bytes)
        }
    }

    /// Whether every byte belongs to a message of the dialect.
    public var isComplete: Bool {
        problems.isEmpty && !messages.isEmpty
            && messages.allSatisfy { if case .success = $0.content { true } else { false } }
    }

    private mutating func read(_ bytes: [UInt8]) {
        let framed = frames(bytes, source: nil)
        let isFramed = framed.found.first.map { if case .success = $0.content { true } else { false } } ?? false
        // A message without a frame has the first word when no frame has a message.
        let bare = content(bytes)
        switch bare {
        case .success where !isFramed: messages = [Found(source: nil, offset: 0, content: bare)]
        case .failure where !isFramed && (framed.problem != nil || framed.found.isEmpty):
            messages = [Found(source: nil, offset: 0, content: bare)]
            if let problem = framed.problem { problems = ["as a frame: \(problem)"] }
        default:
            messages = framed.found
            if let problem = framed.problem { problems = ["\(problem)"] }
        }
    }

    private mutating func read(_ stream: TCPStream) {
        let framed = frames(stream.bytes, source: stream.name)
        let isOurs = framed.found.contains { if case .success = $0.content { true } else { false } }
        guard isOurs else {
            otherStreams += 1
            return
        }
        messages += framed.found
        if let problem = framed.problem { problems.append("\(stream.name): \(problem)") }
        if stream.hasGap { problems.append("\(stream.name): bytes are missing in the recording") }
    }

    private func content(_ bytes: [UInt8]) -> Result<DecodedMessage, MessageError> {
        do throws(MessageError) { return .success(try codec.decode(bytes, showsPlaces: true)) } catch {
            return .failure(error)
        }
    }

    private func frames(_ bytes: [UInt8], source: String?) -> (found: [Found], problem: FrameError?) {
        var reader = FrameReader(profile.frame)
        reader.feed(bytes)
        var (found, offset): ([Found], Int) = ([], 0)
        do throws(FrameError) {
            while let next = try reader.next() {
                if case .body(let body) = next {
                    found.append(Found(source: source, offset: offset, content: content(body)))
                }
                offset = bytes.count - reader.pendingCount
            }
            try reader.finish()
        } catch {
            return (found, error)
        }
        return (found, nil)
    }
}
