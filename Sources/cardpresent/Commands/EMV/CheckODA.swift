internal import ArgumentParser
internal import EMVReplay
internal import Hardware
internal import SettingsFile

/// `emv oda`
struct CheckODA: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "oda", abstract: "Checks certificates and signatures of given card data.",
        discussion: """
            The file is YAML or JSON; bytes are hexadecimal digits:

              date: 2025-05-06                  the day of the transaction
              authority:                        the payment system's key
                rid: A000000003
                index: 94
                modulus: …                      left out when --capks has the key; so is exponent
                exponent: 03
              pan: …                            as in tag 5A, of a test card
              issuer:                           tags 90, 92, 9F32
                certificate: …
                remainder: …
                exponent: 03
              icc:                              tags 9F46, 9F48, 9F47; for DDA and CDA
                certificate: …
                remainder: …
                exponent: 03
              staticData: …                     the records to be authenticated, and the AIP when 9F4A names it
              sda: { signature: … }             tag 93
              dda:
                signature: …                    tag 9F4B
                terminalData: …                 the filled DDOL
              cda:
                signature: …                    tag 9F4B
                unpredictableNumber: …          tag 9F37
                cryptogramInformation: 80       tag 9F27
                transactionData: …              filled PDOL, CDOL1 and CDOL2, then the answer's data objects without 9F4B
              revoked: [{ rid: …, index: …, serial: … }]
              expected:
                result: passed                  or failed
                step: staticData                where: issuerCertificate, staticData, iccCertificate, dynamicData, combinedData
                dataAuthenticationCode: …       tag 9F45
                dynamicNumber: …                tag 9F4C
                cryptogram: …                   tag 9F26

            Exit codes: 0 it came out as expected (as passed, without 'expected'), 7 it did not, 65 the file cannot be read.
            """)

    @Argument(help: "The file.", completion: .file(extensions: ["yaml", "yml", "json"]))
    var file: String
    @Option(
        help: ArgumentHelp(
            "A file of the payment systems' public keys. May be given more than once.", valueName: "file"),
        completion: .file())
    var capks: [String] = []
    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.reporting {
            let check: OfflineAuthenticationCheck
            do throws(SettingsError) {
                check = OfflineAuthenticationCheck(
                    try OfflineAuthenticationCase(path: file, keys: try CAPublicKeyStore(files: capks).keys))
            } catch {
                throw CommandFailure(.badData, code: "malformed_file", message: error.located, fix: error.fix)
            }
            let view = ODACheckView(check)
            if output.json { try StandardOutput.write(json: view) } else { try StandardOutput.write(view.text) }
            guard check.meetsExpectation else { throw ExitCode(ExitStatus.differs.rawValue) }
        }
    }
}

/// The result of `emv oda`.
struct ODACheckView: Encodable, Sendable {
    struct StepView: Encodable, Sendable {
        var step: String
        var result: String
        @Nullable var reason: String? = nil
    }

    /// `passed` or `failed`
    var result: String
    var meetsExpectation: Bool
    var steps: [StepView]
    @Nullable var dataAuthenticationCode: String? = nil
    @Nullable var dynamicNumber: String? = nil
    @Nullable var cryptogram: String? = nil

    init(_ check: OfflineAuthenticationCheck) {
        result = check.passes ? "passed" : "failed"
        meetsExpectation = check.meetsExpectation
        steps = check.steps.map { step in
            StepView(
                step: step.name.rawValue, result: step.failure == nil ? "passed" : "failed", reason: step.failure)
        }
        dataAuthenticationCode = check.dataAuthenticationCode?.hexadecimal
        dynamicNumber = check.dynamicNumber?.hexadecimal
        cryptogram = check.cryptogram?.hexadecimal
    }

    /// For people.
    var text: String {
        var lines = steps.map { $0.step.padded(to: 20) + $0.result + ($0.reason.map { ": \($0)" } ?? "") }
        if let dataAuthenticationCode { lines.append("9F45".padded(to: 20) + dataAuthenticationCode) }
        if let dynamicNumber { lines.append("9F4C".padded(to: 20) + dynamicNumber) }
        if let cryptogram { lines.append("9F26".padded(to: 20) + cryptogram) }
        lines.append(result + (meetsExpectation ? "" : ", which is not what was expected"))
        return lines.joined(separator: "\n") + "\n"
    }
}
