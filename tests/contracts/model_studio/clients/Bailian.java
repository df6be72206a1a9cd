// Drives Alibaba's unmodified SDK for Java and prints what it saw, as one JSON object:
// `java -cp 'PACKAGES/*' Bailian.java CALLS ENDPOINT`. CALLS is `bailian.json`: the usual key and the workspace
// `llm-local`, unless a call names another credential or workspace.

import com.aliyun.bailian20231229.Client;
import com.aliyun.bailian20231229.models.RetrieveRequest;
import com.aliyun.bailian20231229.models.RetrieveResponse;
import com.aliyun.tea.TeaException;
import com.aliyun.teaopenapi.models.Config;
import com.google.gson.Gson;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

public class Bailian {
    static class Call {
        String credential = "usual";
        String workspace = "llm-local";
        RetrieveRequest request;

        RetrieveResponse made(Map<String, Config> credentials, String endpoint) throws Exception {
            Config config = credentials.get(credential).setEndpoint(endpoint).setProtocol("http");
            return new Client(config).retrieve(workspace, request);
        }
    }

    static class Calls {
        Map<String, Config> credentials;
        Map<String, Call> calls;
        Map<String, Call> failures;
    }

    public static void main(String[] arguments) throws Exception {
        Gson json = new Gson();
        Calls asked = json.fromJson(Files.readString(Path.of(arguments[0])), Calls.class);
        Map<String, Object> seen = new TreeMap<>();
        for (var call : asked.calls.entrySet())
            seen.put(call.getKey(), facts(call.getValue().made(asked.credentials, arguments[1])));
        Map<String, Object> failures = new TreeMap<>();
        for (var call : asked.failures.entrySet()) {
            try {
                call.getValue().made(asked.credentials, arguments[1]);
            } catch (TeaException error) {
                failures.put(call.getKey(), facts(error));
            }
        }
        seen.put("failures", failures);
        new PrintStream(System.out, true, StandardCharsets.UTF_8).println(json.toJson(seen));
    }

    static Map<String, Object> facts(RetrieveResponse response) {
        var body = response.getBody();
        var nodes = body.getData().getNodes().stream()
            .map(node -> Arrays.asList(node.getText(), node.getScore(), node.getMetadata()));
        return Map.of("status_code", response.getStatusCode(), "code", body.getCode(), "message", body.getMessage(),
            "status", body.getStatus(), "success", body.getSuccess(), "request_id", body.getRequestId(),
            "nodes", nodes.toList());
    }

    static Map<String, Object> facts(TeaException error) {
        return Map.of("class", error.getClass().getSimpleName(), "code", error.getCode(),
            "status", error.getStatusCode(), "message", error.getMessage(),
            "request_id", error.getData().get("RequestId"));
    }
}
