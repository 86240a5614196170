/// Reads a payment card: directory, application, processing options, every record, single data objects, and a random
/// number.
struct CardWalk {
    private let line: any CardLine

    init(_ line: any CardLine) { self.line = line }

    /// One line for each command: the command and the complete response as hexadecimal digits.
    func answers() async throws -> [String] {
        var answers: [String] = []
        for command in Self.commands {
            let answer = try await whole(command)
            answers.append("\(hexadecimal(command)) \(hexadecimal(answer))")
        }
        return answers
    }

    private static let commands: [[UInt8]] = {
        let directory = Array("1PAY.SYS.DDF01".utf8)
        var commands: [[UInt8]] = [
            [0x00, 0xA4, 0x04, 0x00, UInt8(directory.count)] + directory,
            [0x00, 0xB2, 0x01, 0x0C, 0x00],
            [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10],
            [0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00],
        ]
        for file in UInt8(1)...3 {
            for record in UInt8(1)...4 { commands.append([0x00, 0xB2, record, file << 3 | 4, 0x00]) }
        }
        commands.append([0x80, 0xCA, 0x9F, 0x36, 0x00])
        commands.append([0x80, 0xCA, 0x9F, 0x17, 0x00])
        commands.append([0x00, 0x84, 0x00, 0x00, 0x00])
        return commands
    }()

    /// The response after GET RESPONSE or with the correct length, as T=0 requires (ISO/IEC 7816-3 §12.2).
    private func whole(_ command: [UInt8]) async throws -> [UInt8] {
        var answer = try await line.transmit(command)
        var data: [UInt8] = []
        for _ in 0..<16 {
            guard answer.count >= 2 else { throw ReaderBenchmarkError("an answer of \(answer.count) bytes") }
            let status = answer.suffix(2).map(\.self)
            data += answer.dropLast(2)
            switch status[0] {
            case 0x61: answer = try await line.transmit([0x00, 0xC0, 0x00, 0x00, status[1]])
            case 0x6C: answer = try await line.transmit(command.prefix(4) + [status[1]])
            default: return data + status
            }
        }
        throw ReaderBenchmarkError("the card comes to no end")
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
