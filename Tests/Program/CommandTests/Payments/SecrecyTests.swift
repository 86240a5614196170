import Foundation
import Testing

@Suite("Card data in outputs and files")
struct SecrecyTests {
    /// The numbers that the profiles of the repository give their cards.
    private static let cardNumbers: [String] = {
        let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Simulator/Resources/Cards")
            .standardizedFileURL
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.flatMap { file in
            ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").compactMap { line in
                let parts = line.split(separator: ":")
                guard parts.count == 2, parts[0].hasSuffix(" pan") else { return nil }
                return String(parts[1].filter(\.isNumber))
            }
        }
    }()

    @Test(arguments: [
        "visa-credit", "pin-required", "pin-enciphered", "online-pin", "multi-application",
    ])
    func `no card number and no PIN is in any output or file`(card: String) throws {
        let scratch = try Scratch()
        // A PIN that no amount, date or reference contains by chance.
        let pin = "739182640517"
        let arguments = [
            "--card", card, "--pin", pin, "--trace", scratch.file("trace"), "--database", scratch.database,
        ]
        let paid = try Program.run(["pay", "12.50", "--json"] + arguments, in: scratch)
        let again = try Program.run(["pay", "12.50"] + arguments, in: scratch)
        var places = [(name: "pay --json", bytes: Data((paid.output + paid.error).utf8))]
        places.append((name: "pay", bytes: Data((again.output + again.error).utf8)))
        for command in [
            ["payments", "list", "--json"], ["payments", "show", "1", "--json"], ["receipts", "list", "--json"],
        ] {
            let shown = try Program.run(command + ["--database", scratch.database], in: scratch)
            places.append((name: command.joined(separator: " "), bytes: Data((shown.output + shown.error).utf8)))
        }
        let cardShown = try Program.run(["cards", "show", card, "--json"], in: scratch)
        places.append((name: "cards show", bytes: Data(cardShown.output.utf8)))
        places += try scratch.everything()
        #expect(places.contains { $0.name == "till.sqlite" } && places.contains { $0.name == "trace" })
        #expect(Self.cardNumbers.count >= 10)
        for place in places {
            for secret in Self.cardNumbers + [pin] {
                #expect(place.bytes.range(of: Data(secret.utf8)) == nil, "\(place.name)")
                #expect(place.bytes.range(of: Data(Self.packed(secret))) == nil, "\(place.name), as packed digits")
            }
        }
    }

    /// Two digits a byte.
    private static func packed(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.wholeNumberValue).map(UInt8.init)
        return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    @Test(arguments: ["12x4", "123", "-1234", "1234567890123", "--1234"])
    func `an invalid PIN is rejected and not repeated`(pin: String) throws {
        let scratch = try Scratch()
        let result = try Program.run(
            ["pay", "5", "--pin", pin, "--database", scratch.database, "--json"], in: scratch)
        #expect(result.status == 64)
        #expect(!(result.output + result.error).contains(pin))
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "invalid_pin")
        #expect(!FileManager.default.fileExists(atPath: scratch.database))
    }
}
