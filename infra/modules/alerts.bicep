@description('Ending of the names of the alerts.')
@minLength(3)
@maxLength(40)
param suffix string

@description('Name of the group that is told.')
param operatorsName string

@description('Name of the availability test.')
param availabilityName string

@description('Name of the budget.')
param budgetName string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Resource id of the workspace.')
param workspaceId string

@description('Resource id of Application Insights, whose requests are counted.')
param insightsId string

@description('Resource id of the search service.')
param searchId string

@description('Address of the app, which an availability test asks whether it is ready; empty where nobody outside reaches it.')
param endpoint string

@description('Whether a timer asks if the app is ready: no row at all then says that nothing runs.')
param heartbeat bool

@description('Gigabytes of logs a day before ingestion stops; -1 for no cap.')
@minValue(-1)
@maxValue(1000)
param dailyCapGB int

@description('Dollars a month, or what the subscription is billed in, of which the group is told; 0 for no budget.')
@minValue(0)
@maxValue(10000000)
param budgetAmount int

@description('First day of the month in which the budget begins.')
param budgetStart string

@description('Where the runbook is; alerts name a section of it.')
param runbook string

@description('Address that alerts are mailed to; empty for none.')
param email string

@description('Resource id of an action group that is there already; empty creates one.')
param actionGroupId string

@description('Share of failed answers in percent.')
@minValue(1)
@maxValue(100)
param errorPercent int

@description('95th percentile of the duration in milliseconds.')
@minValue(100)
@maxValue(60000)
param latencyMs int

@description('Share of throttled calls in percent.')
@minValue(1)
@maxValue(100)
param throttledPercent int

// A row stands for ItemCount calls, since traces are sampled. GET health and GET ready are asked often, and answer fast.
// Our own rows have the status of a failure within a 200, of MCP and of events; the host's those that never reached us.
var ours = 'AppRequests | where _ResourceId =~ "${insightsId}" | where not(Name has_any ("health", "ready"))'
var calls = 'union AppRequests, AppMetrics | where _ResourceId =~ "${insightsId}" | where not(Name has_any ("health", "ready", "heartbeat")) | extend own = Name == "retrieval.request.duration" | where own or isnotempty(ResultCode) | extend status = iff(own, toint(Properties["retrieval.status"]), toint(ResultCode))'
// Where an availability test asks, one call says little. Where none can, it is all there is.
var least = empty(endpoint) ? 1 : 5
var leastFailed = empty(endpoint) ? 1 : 3
var metrics = 'AppMetrics | where _ResourceId =~ "${insightsId}"'
var mailed = empty(email) ? [] : [
  {
    name: 'operators'
    emailAddress: email
    useCommonAlertSchema: true
  }
]

resource newOperators 'Microsoft.Insights/actionGroups@2023-01-01' = if (empty(actionGroupId)) {
  name: operatorsName
  location: 'global'
  tags: tags
  properties: {
    enabled: true
    groupShortName: 'retrieval'
    emailReceivers: mailed
  }
}

var operators = {
  id: empty(actionGroupId) ? newOperators.id : actionGroupId
}

module errors 'log-alert.bicep' = {
  name: 'alert-errors'
  params: {
    name: 'alert-errors'
    suffix: suffix
    location: location
    tags: tags
    title: 'answers with status 500 or more'
    runbook: '${runbook}#calls-fail'
    severity: 1
    query: '${calls} | summarize calls = sum(ItemCount), failed = sumif(ItemCount, status >= 500) by own | where calls >= ${least} | project percent = 100.0 * failed / calls'
    measure: 'percent'
    threshold: errorPercent
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module latency 'log-alert.bicep' = {
  name: 'alert-latency'
  params: {
    name: 'alert-latency'
    suffix: suffix
    location: location
    tags: tags
    title: 'slow answers'
    runbook: '${runbook}#answers-are-slow'
    severity: 2
    query: '${ours} | summarize calls = sum(ItemCount), p95 = percentilew(DurationMs, ItemCount, 95) | where calls >= 20 | project p95'
    measure: 'p95'
    threshold: latencyMs
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module throttled 'log-alert.bicep' = {
  name: 'alert-throttled'
  params: {
    name: 'alert-throttled'
    suffix: suffix
    location: location
    tags: tags
    title: 'callers are turned away'
    runbook: '${runbook}#callers-are-turned-away'
    severity: 2
    query: '${calls} | summarize calls = sum(ItemCount), turned = sumif(ItemCount, status == 429) by own | where calls >= ${least} | project percent = 100.0 * turned / calls'
    measure: 'percent'
    threshold: throttledPercent
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module searches 'log-alert.bicep' = {
  name: 'alert-searches'
  params: {
    name: 'alert-searches'
    suffix: suffix
    location: location
    tags: tags
    title: 'searches of a knowledge source fail'
    runbook: '${runbook}#searches-of-a-source-fail'
    severity: 1
    query: '${metrics} | where Name == "retrieval.searches" | summarize searches = sum(Sum), failed = sumif(Sum, isnotempty(tostring(Properties["retrieval.cause"]))) by source = tostring(Properties["retrieval.source"]) | where failed >= ${leastFailed} | project percent = 100.0 * failed / searches, source'
    measure: 'percent'
    threshold: 20
    apart: 'source'
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module suspended 'log-alert.bicep' = {
  name: 'alert-suspended'
  params: {
    name: 'alert-suspended'
    suffix: suffix
    location: location
    tags: tags
    title: 'a target that does not answer is not called'
    runbook: '${runbook}#a-target-is-not-called'
    severity: 1
    query: '${metrics} | where Name == "retrieval.breaker" | summarize opened = sumif(Sum, tostring(Properties["retrieval.change"]) == "opened"), closed = sumif(Sum, tostring(Properties["retrieval.change"]) == "closed") by target = tostring(Properties["retrieval.target"]) | where opened > closed | project opened, target'
    measure: 'opened'
    threshold: 1
    apart: 'target'
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module nothing 'log-alert.bicep' = {
  name: 'alert-nothing-found'
  params: {
    name: 'alert-nothing-found'
    suffix: suffix
    location: location
    tags: tags
    title: 'an index in which documents were found gives none'
    runbook: '${runbook}#answers-find-nothing'
    severity: 2
    query: '${metrics} | where Name == "retrieval.searched" | where TimeGenerated > ago(25h) | extend late = TimeGenerated > ago(1h), nothing = tostring(Properties["retrieval.result"]) == "nothing" | summarize calls = sumif(Sum, late), empty = sumif(Sum, late and nothing), before = sumif(Sum, not(late)), emptyBefore = sumif(Sum, not(late) and nothing) by index = tostring(Properties["retrieval.index"]) | where calls >= 20 | where 4 * emptyBefore < before | project percent = 100.0 * empty / calls, index'
    measure: 'percent'
    threshold: 50
    apart: 'index'
    window: 'P2D'
    frequency: 'PT15M'
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module refused 'log-alert.bicep' = {
  name: 'alert-refused'
  params: {
    name: 'alert-refused'
    suffix: suffix
    location: location
    tags: tags
    title: 'a called service refuses what callers ask rightly'
    runbook: '${runbook}#a-called-service-refuses'
    severity: 1
    query: '${metrics} | where Name in ("retrieval.subqueries", "gen_ai.client.operation.duration") | extend error = strcat(tostring(Properties["retrieval.error"]), tostring(Properties["error.type"])) | where error in ("BackendMisconfigured", "BackendForbidden", "BackendMissing") | summarize refusals = sumif(Sum, Name == "retrieval.subqueries") + sumif(ItemCount, Name != "retrieval.subqueries") | project refusals'
    measure: 'refusals'
    threshold: 3
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module behind 'log-alert.bicep' = {
  name: 'alert-throttles'
  params: {
    name: 'alert-throttles'
    suffix: suffix
    location: location
    tags: tags
    title: 'a called service throttles'
    runbook: '${runbook}#a-called-service-throttles'
    severity: 2
    query: '${metrics} | where Name == "retrieval.throttles" | summarize throttles = sum(Sum) | project throttles'
    measure: 'throttles'
    threshold: 5
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module withoutModel 'log-alert.bicep' = {
  name: 'alert-without-model'
  params: {
    name: 'alert-without-model'
    suffix: suffix
    location: location
    tags: tags
    title: 'plans are made without the model'
    runbook: '${runbook}#plans-are-made-without-the-model'
    severity: 2
    query: '${metrics} | where Name == "retrieval.model_steps" | summarize steps = sum(Sum), rules = sumif(Sum, tostring(Properties["retrieval.by"]) == "rules") | where steps >= 5 | project percent = 100.0 * rules / steps'
    measure: 'percent'
    threshold: 20
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module unranked 'log-alert.bicep' = {
  name: 'alert-unranked'
  params: {
    name: 'alert-unranked'
    suffix: suffix
    location: location
    tags: tags
    title: 'answers are not ranked'
    runbook: '${runbook}#answers-are-not-ranked'
    severity: 2
    query: '${metrics} | where Name in ("retrieval.subqueries", "retrieval.unranked") | summarize searches = sumif(Sum, Name == "retrieval.subqueries"), unranked = sumif(Sum, Name == "retrieval.unranked") | where searches >= 5 | project percent = 100.0 * unranked / searches'
    measure: 'percent'
    threshold: 20
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module unknownVersions 'log-alert.bicep' = {
  name: 'alert-unknown-versions'
  params: {
    name: 'alert-unknown-versions'
    suffix: suffix
    location: location
    tags: tags
    title: 'callers ask for an api-version that nobody knows yet'
    runbook: '${runbook}#a-version-that-nobody-knows'
    severity: 3
    query: '${metrics} | where Name == "retrieval.unknown_versions" | summarize calls = sum(Sum) | project calls'
    measure: 'calls'
    threshold: 1
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

module logCap 'log-alert.bicep' = if (dailyCapGB > 0) {
  name: 'alert-log-cap'
  params: {
    name: 'alert-log-cap'
    suffix: suffix
    location: location
    tags: tags
    title: 'logs have reached 80 % of the daily cap'
    runbook: '${runbook}#logs-near-the-daily-cap'
    severity: 2
    query: 'Usage | where TimeGenerated >= startofday(now()) | where IsBillable | summarize megabytes = sum(Quantity) | project percent = megabytes / (10.0 * ${dailyCapGB})'
    measure: 'percent'
    threshold: 80
    window: 'P1D'
    frequency: 'PT1H'
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

// Rows that this service writes itself: those of the host say nothing of an app that it cannot start.
module silent 'log-alert.bicep' = if (heartbeat) {
  name: 'alert-silent'
  params: {
    name: 'alert-silent'
    suffix: suffix
    location: location
    tags: tags
    title: 'the app is not ready, or tells nothing at all'
    runbook: '${runbook}#no-telemetry-arrives'
    severity: 0
    query: '${metrics} | where Name startswith "retrieval." | summarize told = sum(ItemCount), beats = sumif(Sum, Name == "retrieval.heartbeat"), well = sumif(Sum, Name == "retrieval.heartbeat" and toint(Properties["retrieval.status"]) == 200) | project silent = iff(coalesce(told, 0) == 0 or (beats > 0 and well == 0), 1, 0)'
    measure: 'silent'
    threshold: 1
    workspaceId: workspaceId
    operatorsId: operators.id
  }
}

resource searchThrottled 'Microsoft.Insights/metricAlerts@2026-01-01' = {
  name: 'alert-search-throttled-${suffix}'
  location: 'global'
  tags: tags
  properties: {
    description: 'The search service turns queries away. What to do: ${runbook}#a-called-service-throttles'
    severity: 2
    enabled: true
    autoMitigate: true
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    scopes: [
      searchId
    ]
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          name: 'throttled'
          criterionType: 'StaticThresholdCriterion'
          metricNamespace: 'Microsoft.Search/searchServices'
          metricName: 'ThrottledSearchQueriesPercentage'
          timeAggregation: 'Average'
          operator: 'GreaterThan'
          threshold: throttledPercent
        }
      ]
    }
    actions: [
      {
        actionGroupId: operators.id
      }
    ]
  }
}

resource ready 'Microsoft.Insights/webtests@2022-06-15' = if (!empty(endpoint)) {
  name: availabilityName
  location: location
  tags: union(tags, {
    'hidden-link:${insightsId}': 'Resource'
  })
  kind: 'standard'
  properties: {
    SyntheticMonitorId: availabilityName
    Name: 'Retrieval: GET ready'
    Enabled: true
    Frequency: 300
    Timeout: 30
    Kind: 'standard'
    RetryEnabled: true
    Locations: [
      {
        Id: 'emea-nl-ams-azr'
      }
      {
        Id: 'us-va-ash-azr'
      }
      {
        Id: 'apac-sg-sin-azr'
      }
    ]
    Request: {
      RequestUrl: '${endpoint}/ready'
      HttpVerb: 'GET'
      ParseDependentRequests: false
    }
    ValidationRules: {
      ExpectedHttpStatusCode: 200
      SSLCheck: true
      SSLCertRemainingLifetimeCheck: 7
    }
  }
}

resource notReady 'Microsoft.Insights/metricAlerts@2026-01-01' = if (!empty(endpoint)) {
  name: 'alert-not-ready-${suffix}'
  location: 'global'
  tags: tags
  properties: {
    description: 'Nobody answers, or the app is not ready. What to do: ${runbook}#not-ready'
    severity: 0
    enabled: true
    autoMitigate: true
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    scopes: [
      ready.id
      insightsId
    ]
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.WebtestLocationAvailabilityCriteria'
      webTestId: ready.id
      componentId: insightsId
      failedLocationCount: 2
    }
    actions: [
      {
        actionGroupId: operators.id
      }
    ]
  }
}

resource budget 'Microsoft.Consumption/budgets@2026-06-01' = if (budgetAmount > 0) {
  name: budgetName
  properties: {
    category: 'Cost'
    amount: budgetAmount
    timeGrain: 'Monthly'
    timePeriod: {
      startDate: budgetStart
    }
    notifications: {
      spent: {
        enabled: true
        operator: 'GreaterThanOrEqualTo'
        threshold: 80
        thresholdType: 'Actual'
        contactEmails: []
        contactGroups: [
          operators.id
        ]
      }
      expected: {
        enabled: true
        operator: 'GreaterThanOrEqualTo'
        threshold: 100
        thresholdType: 'Forecasted'
        contactEmails: []
        contactGroups: [
          operators.id
        ]
      }
    }
  }
}
