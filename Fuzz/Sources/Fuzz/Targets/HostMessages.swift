import Foundation
import ISO8583

extension FuzzTarget {
    /// What payment hosts send, recordings of it, and profiles that people write.
    static let hosts: [FuzzTarget] = [hostMessages, hostFrames, captures, profiles]

    private static let shipped = MessageProfile.shippedNames.compactMap(MessageProfile.shipped)
    private static let codecs = shipped.map { $0.makeCodec() }

    /// Frames of the tests, without the two bytes of length of most.
    private static func vectors() throws -> [[UInt8]] {
        let text = try String(contentsOfFile: "Tests/Payment/ISO8583Tests/Vectors/messages.txt", encoding: .utf8)
        return text.components(separatedBy: "\n\n").dropFirst().map { bytes(String($0.split(separator: "\n")[1])) }
    }

    /// The first byte selects the profile.
    private static let hostMessages = FuzzTarget(
        "host-message", longestInput: 1024,
        seeds: {
            try vectors().enumerated().map { number, frame in
                [number < 23 ? 0 : number < 27 || number > 29 ? 1 : 2] + frame.dropFirst(2)
            }
        },
        run: { bytes in
            guard let choice = bytes.first else { return }
            let (profile, codec) = (shipped[Int(choice) % shipped.count], codecs[Int(choice) % shipped.count])
            let body = Array(bytes.dropFirst())
            let decoded = try codec.decode(body, showsPlaces: true)
            let dump = MessageDump(decoded, profile)
            hold(!dump.text.contains("\r"), "a dump has no control characters")
            var place = decoded.header.count
            for entry in dump.entries {
                hold(entry.offset > place && entry.byteCount >= 0, "fields follow each other")
                place = entry.offset + entry.byteCount - 1
            }
            hold(place <= body.count, "a field is within the message")
            if let coverage = decoded.macCoverage { hold(coverage.upperBound <= body.count, "a MAC covers bytes") }
            let written = try codec.encode(decoded.message, header: decoded.header).bytes
            // A second way of writing the same, such as small hexadecimal digits, is read and not written.
            guard written != body else { return }
            hold(written.count <= body.count + 16, "what was read is written in as many bytes")
            hold(try codec.decode(written).message == decoded.message, "a message is read as it was written")
        })

    /// The first byte selects the framing, and the second one how the bytes are cut.
    private static let hostFrames = FuzzTarget(
        "host-frames", longestInput: 512,
        seeds: { try vectors().map { [0, 7] + $0 } + [[1, 1, 0, 0, 0, 1, 0x60], [3, 2, 2, 0x61, 3, 0x62]] },
        run: { bytes in
            guard bytes.count > 2 else { return }
            var format = shipped[Int(bytes[0]) % shipped.count].frame
            if bytes[0] & 0x80 != 0 {
                (format.lengthForm, format.prefix, format.trailer) = (.none, [2], [3])
                format.check = .xorFromSTX
            }
            let size = max(1, Int(bytes[1]))
            func contents(_ size: Int) throws -> [FrameReader.Content] {
                var (reader, contents) = (FrameReader(format), [FrameReader.Content]())
                for start in stride(from: 2, to: bytes.count, by: size) {
                    reader.feed(bytes[start..<min(bytes.count, start + size)])
                    while let content = try? reader.next() { contents.append(content) }
                }
                return contents
            }
            let whole = try contents(bytes.count)
            same(try contents(size), whole, "frames do not depend on how the bytes are cut")
            for case .body(let body) in whole {
                hold(body.count <= format.maximumLength, "a frame has at most its maximum")
                var reader = FrameReader(format)
                if let frame = format.frame(body) {
                    reader.feed(frame)
                    hold(try reader.next() == .body(body), "a frame is read as it was written")
                }
            }
        })

    /// Recordings: pcap and pcapng.
    private static let captures = FuzzTarget(
        "capture", longestInput: 512,
        seeds: {
            let head = "D4C3B2A1 0200 0400 00000000 00000000 FFFF0000 65000000"
            let ip = "4500 0030 0000 4000 4006 0000 0A000001 0A000002"
            let tcp = "9C40 2187 00000001 00000000 5018 FFFF 0000 0000"
            let packet = "00000000 00000000 30000000 30000000" + ip + tcp + "0006 303830300000"
            return [
                bytes(head + packet + packet), bytes("0A0D0D0A 1C000000 4D3C2B1A 01000000 FFFFFFFFFFFFFFFF 1C000000"),
            ]
        },
        run: { bytes in
            let capture = try PacketCapture(bytes)
            let streams = capture.streams()
            hold(
                streams.reduce(0) { $0 + $1.bytes.count } <= bytes.count,
                "streams have no more bytes than the recording")
            _ = try MessageFinder(bytes, shipped[0])
        })

    private static let profiles = FuzzTarget(
        "message-profile", longestInput: 8192,
        seeds: { MessageProfile.shippedNames.compactMap { MessageProfile.shippedText($0) }.map { Array($0.utf8) } },
        run: { bytes in
            do throws(MessageProfileError) {
                let profile = try MessageProfile(text: String(decoding: bytes, as: UTF8.self), file: "p.yaml")
                _ = try? profile.makeCodec().decode(Array("0800".utf8) + [UInt8](repeating: 0x46, count: 64))
                if let frame = profile.frame.frame([1]) {
                    var reader = FrameReader(profile.frame)
                    reader.feed(frame)
                    hold((try? reader.next()) == .body([1]), "a frame is read as it was written")
                }
            } catch {
                hold(!error.errors.isEmpty, "a wrong profile has a mistake")
            }
        })
}
