@description('Name of a workspace that is created.')
param workspaceName string

@description('Name of Application Insights.')
param insightsName string

@description('Title of the workbook.')
param workbookTitle string

@description('Resource id of a workspace that is there already; empty creates one.')
param existingWorkspaceId string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Days that logs are kept.')
@minValue(30)
@maxValue(730)
param retentionDays int

@description('Gigabytes a day before ingestion stops; -1 for no cap.')
@minValue(-1)
@maxValue(1000)
param dailyCapGB int

@description('Object id of the identity that publishes telemetry.')
@minLength(1)
param principalId string

@description('Whether telemetry may come from outside the virtual network, as that of the availability test does.')
param publicIngestion bool

@description('Whether logs may be asked from outside the virtual network.')
param publicQuery bool

var metricsPublisher = '3913510d-42f4-4e42-8a64-420c390055eb'

var logsId = empty(existingWorkspaceId) ? workspace.id : existingWorkspaceId

resource workspace 'Microsoft.OperationalInsights/workspaces@2026-03-01' = if (empty(existingWorkspaceId)) {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: {
      name: 'PerGB2018'
    }
    retentionInDays: retentionDays
    publicNetworkAccessForIngestion: publicIngestion ? 'Enabled' : 'Disabled'
    publicNetworkAccessForQuery: publicQuery ? 'Enabled' : 'Disabled'
    features: {
      disableLocalAuth: true
      enableLogAccessUsingOnlyResourcePermissions: true
    }
    workspaceCapping: {
      dailyQuotaGb: dailyCapGB
    }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: insightsName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: logsId
    IngestionMode: 'LogAnalytics'
    DisableLocalAuth: true
    publicNetworkAccessForIngestion: publicIngestion ? 'Enabled' : 'Disabled'
    publicNetworkAccessForQuery: publicQuery ? 'Enabled' : 'Disabled'
  }
}

resource publisher 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(insights.id, principalId, metricsPublisher)
  scope: insights
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', metricsPublisher)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'Monitoring Metrics Publisher: the app sends its telemetry.'
  }
}

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(insights.id, 'workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: workbookTitle
    category: 'workbook'
    sourceId: insights.id
    version: 'Notebook/1.0'
    serializedData: loadTextContent('../workbook.json')
  }
}

@description('Resource id of the workspace.')
output workspaceId string = logsId

@description('Resource id of Application Insights.')
output insightsId string = insights.id

@description('Where telemetry goes. With local authentication off it admits nobody; the identity does.')
output connectionString string = insights.properties.ConnectionString
