import ArgumentParser
import EMVReplay
import Settings
import Text
import TillConfiguration

/// `emv oda`
struct CheckODA: SynchronousCardDataCommand {
    static let configuration = CommandConfiguration(
        commandName: "oda", abstract: "Verify the certificates and signatures of card data.",
        discussion: """
            EXAMPLES:
              cardpresent emv oda card.yaml --capks keys.yaml

            The file is YAML or JSON, with bytes in hexadecimal:

              date: 2025-05-06                  transaction date
              authority:                        CA public key, or a list of keys of which keyIndex chooses one
                rid: A000000003
                index: 94
                modulus: …                      omit modulus and exponent when --capks has the key
                exponent: 03
              keyIndex: 94                      tag 8F; without it, the only key is used
              pan: …                            tag 5A of a test card
              issuer:                           tags 90, 92, 9F32
                certificate: …
                remainder: …
                exponent: 03
              icc:                              tags 9F46, 9F48, 9F47; for DDA and CDA
                certificate: …
                remainder: …
                exponent: 03
              staticData: …                     the signed records
              tagList: 82                       tag 9F4A; without it, staticData ends with the AIP if 9F4A lists it
              interchangeProfile: 3900          tag 82, the AIP; with tagList
              sda: { signature: … }             tag 93
              dda:
                signature: …                    tag 9F4B
                terminalData: …                 the filled DDOL
              cda:
                signature: …                    tag 9F4B
                unpredictableNumber: …          tag 9F37
                cryptogramInformation: 80       tag 9F27
                transactionData: …              filled PDOL, CDOL1, and CDOL2, then the response without tag 9F4B
              revoked: [{ rid: …, index: …, serial: … }]
              expected:
                result: passed                  or failed
                step: staticData                issuerCertificate, staticData, iccCertificate, dynamicData, combinedData
                dataAuthenticationCode: …       tag 9F45
                dynamicNumber: …                tag 9F4C
                cryptogram: …                   tag 9F26

            Exit codes: 0 the result is as expected (without 'expected': passed), 7 it is not, 65 the file cannot be \
            read.
            """)

    @Argument(help: "File with the card data.", completion: .file(extensions: ["yaml", "yml", "json"]))
    var file: String
    @Option(
        help: ArgumentHelp("File with CA public keys. Can be repeated.", valueName: "file"),
        completion: .file())
    var capks: [String] = []
    @OptionGroup var output: OutputOptions

    func execute() throws {
        let check: OfflineAuthenticationCheck
        do throws(SettingsError) {
            check = OfflineAuthenticationCheck(
                try OfflineAuthenticationCase(path: file, keys: try CAPublicKeyStore(files: capks).keys))
        } catch {
            throw CommandFailure(.badData, code: "malformed_file", message: error.located, fix: error.fix)
        }
        try output.write(check)
        guard check.meetsExpectation else { throw ExitCode(ExitStatus.differs.rawValue) }
    }
}

extension OfflineAuthenticationCheck: CommandResult {
    private static func word(_ isPassed: Bool) -> String { isPassed ? "passed" : "failed" }

    var json: JSONObject {
        let steps = steps.map { step -> JSONObject in
            ["step": step.name.rawValue, "result": Self.word(step.failure == nil), "reason": step.failure]
        }
        return [
            "result": Self.word(passes), "meetsExpectation": meetsExpectation, "steps": steps,
            "dataAuthenticationCode": dataAuthenticationCode?.hexadecimal,
            "dynamicNumber": dynamicNumber?.hexadecimal, "cryptogram": cryptogram?.hexadecimal,
        ]
    }

    var text: String {
        var lines = steps.map { step in
            step.name.rawValue.padded(to: 20) + Self.word(step.failure == nil) + (step.failure.map { ": \($0)" } ?? "")
        }
        func add(_ tag: String, _ value: [UInt8]?) {
            if let value { lines.append(tag.padded(to: 20) + value.hexadecimal) }
        }
        add("9F45", dataAuthenticationCode)
        add("9F4C", dynamicNumber)
        add("9F26", cryptogram)
        lines.append(Self.word(passes) + (meetsExpectation ? "" : ", not as expected"))
        return lines.joined(separator: "\n") + "\n"
    }
}
